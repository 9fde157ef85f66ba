// One connection for all tabs of a browser: a shared worker that holds it and hands frames on.
// A browser without shared workers runs the same code in each page (see stream.js).
(() => {
  "use strict";

  class Line {
    constructor(hand) {
      this.hand = hand; // called with (tab, frame), or (null, state) for all
      this.name = crypto.randomUUID();
      this.tabs = new Map(); // tab -> {session, cursor}
      this.abort = null;
      this.tries = 0;
      this.timer = null;
      this.heard = { date: 0, passed: 0 };
      this.open = false;
      this.watch = setInterval(() => this.check(), 1000);
    }

    join(tab, session) {
      this.tabs.set(tab, { session });
      if (this.open) this.add(tab, session);
      else this.connect();
    }

    async add(tab, session) {
      const json = JSON.stringify({ line: this.name, tab, session });
      try {
        const response = await fetch("/dashboard/tabs", {
          method: "POST", body: json, headers: { "Content-Type": "application/json" }, cache: "no-store",
        });
        if (!response.ok) this.reconnect(0);
      } catch {
        this.reconnect(0);
      }
    }

    leave(tab) {
      if (!this.tabs.delete(tab)) return;
      if (!this.tabs.size) { this.stop(); return; }
      if (!this.open) return;
      fetch("/dashboard/tabs/leave", {
        method: "POST", body: JSON.stringify({ tab }), keepalive: true,
        headers: { "Content-Type": "application/json" },
      }).catch(() => {});
    }

    stop() {
      clearTimeout(this.timer);
      this.timer = null;
      this.open = false;
      if (this.abort) this.abort.abort();
      this.abort = null;
    }

    // A stream that says nothing for so long is dead, whatever the browser thinks: the machine
    // slept, or the network changed under it.
    check() {
      if (this.abort && this.silent() > 25000) this.reconnect(0);
    }

    // Neither clock tells alone: one is set by people, the other stands still in a machine's sleep.
    silent() {
      return Math.max(Math.abs(Date.now() - this.heard.date), performance.now() - this.heard.passed);
    }

    hear() {
      this.heard = { date: Date.now(), passed: performance.now() };
    }

    now() {
      if (!this.tabs.size) return;
      if (!this.open || this.silent() > 12000) this.reconnect(0);
    }

    reconnect(wait) {
      this.stop();
      if (this.tabs.size) this.timer = setTimeout(() => { this.timer = null; this.connect(); }, wait);
    }

    state(state, status) {
      this.hand(null, { event: "hearth-state", state, status });
    }

    async connect() {
      if (this.abort || this.timer || !this.tabs.size) return;
      const abort = (this.abort = new AbortController());
      const asked = new URLSearchParams();
      for (const [tab, { session }] of this.tabs) asked.append("tab", `${tab}.${session}`);
      const known = new Set(this.tabs.keys());
      this.hear();
      try {
        const response = await fetch(`/dashboard/lines/${this.name}?${asked}`, {
          signal: abort.signal, cache: "no-store", headers: { Accept: "text/event-stream" },
        });
        if (abort.signal.aborted) return;
        if (!response.ok) { await this.refused(response, abort); return; }
        this.open = true;
        this.tries = 0;
        this.state("open", 200);
        // Tabs that came while this one was being opened.
        for (const [tab, { session }] of this.tabs) if (!known.has(tab)) this.add(tab, session);
        await this.read(response.body, abort.signal);
      } catch {
        // It is not reachable, or it was cut off: both are tried again.
      }
      if (!abort.signal.aborted) this.lost(0);
    }

    async refused(response, abort) {
      if (response.status === 401 || response.status === 403) {
        this.state("signed-out", response.status);
        if (this.abort === abort) this.reconnect(5000);
        return;
      }
      this.lost(response.status, abort);
    }

    lost(status) {
      const wait = [250, 1000, 2000][Math.min(this.tries, 2)];
      this.tries += 1;
      if (this.tries > 1) this.state("lost", status);
      else this.state("cut", status);
      this.reconnect(wait);
    }

    async read(stream, signal) {
      const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done || signal.aborted) return;
        this.hear();
        rest += value;
        for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
          this.frame(rest.slice(0, end));
          rest = rest.slice(end + 2);
        }
      }
    }

    frame(text) {
      const frame = { event: "", args: {} };
      let tab = null;
      for (const line of text.split("\n")) {
        const [field, ...more] = line.split(": ");
        const value = more.join(": ");
        if (field === "event") frame.event = value;
        else if (field === "id") frame.cursor = value;
        else if (field === "data") {
          const space = value.indexOf(" ");
          const name = space < 0 ? value : value.slice(0, space);
          const said = space < 0 ? "" : value.slice(space + 1);
          if (name === "tab") tab = said;
          else frame.args[name] = name in frame.args ? `${frame.args[name]}\n${said}` : said;
        }
      }
      if (frame.event) this.hand(tab, frame);
    }
  }

  self.HearthLine = Line;

  if (typeof SharedWorkerGlobalScope === "undefined" || !(self instanceof SharedWorkerGlobalScope)) return;

  const ports = new Map(); // tab -> port
  const line = new Line((tab, frame) => {
    if (tab === null) for (const port of ports.values()) port.postMessage(frame);
    else if (ports.has(tab)) ports.get(tab).postMessage(frame);
  });

  self.addEventListener("connect", (evt) => {
    const port = evt.ports[0];
    let mine = null;
    const gone = () => {
      if (mine === null) return;
      ports.delete(mine);
      line.leave(mine);
      mine = null;
    };
    port.onmessage = ({ data }) => {
      if (data.say === "join") {
        mine = data.tab;
        ports.set(mine, port);
        line.join(mine, data.session);
        // A tab that crashes says nothing, but lets its lock go.
        if (self.navigator.locks) navigator.locks.request(`hearth-tab-${mine}`, gone).catch(() => {});
      } else if (data.say === "show" && mine !== null) {
        line.tabs.set(mine, { session: data.session });
      } else if (data.say === "again" && mine !== null) {
        if (line.open) line.add(mine, line.tabs.get(mine).session);
      } else if (data.say === "now") line.now();
      else if (data.say === "leave") gone();
    };
    port.start();
  });
})();

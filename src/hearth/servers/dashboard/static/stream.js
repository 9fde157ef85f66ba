// The page's end of the line: applies what comes, and says when nothing does.
(() => {
  "use strict";
  const hearth = window.hearth;
  const banner = document.getElementById("banner");
  let state = "opening";
  let viewed = false;
  let port = null;

  // -- the banner, shown only while something is wrong ---------------------------------------------

  const say = (words, action) => {
    banner.textContent = "";
    banner.hidden = !words;
    banner.classList.toggle("conn-disconnected", Boolean(words));
    if (!words) return;
    const text = document.createElement("span");
    text.textContent = words;
    banner.append(text);
    if (action) {
      const link = document.createElement("a");
      link.href = action.to;
      link.textContent = action.words;
      banner.append(" ", link);
    }
  };
  hearth.banner = say;

  const stands = (now) => {
    if (now.state === "open") {
      if (state !== "open") say("");
      state = "open";
    } else if (now.state === "signed-out") {
      state = "out";
      say("This browser is not signed in any more. `hearth open` in a terminal gives a new link.", { to: location.pathname, words: "Sign in" });
    } else if (now.state === "lost") {
      state = "lost";
      hearth.live = viewed = false;
      say("Disconnected from the daemon. Reconnecting …");
    }
    hearth.tell("connection", now);
  };

  // -- frames ----------------------------------------------------------------------------------------

  const told = (frame) => { try { return JSON.parse(frame.args.json || "{}"); } catch { return {}; } };

  const take = (frame) => {
    switch (frame.event) {
      case "datastar-patch-elements":
        if (!hearth.timeline || !hearth.timeline.take(frame.args)) hearth.apply(frame.args);
        hearth.live = viewed; // from now on the page shows what is so
        soon();
        break;
      case "hearth-view": {
        const { session, build } = told(frame);
        if (build && build !== document.body.dataset.build) { reload(); return; }
        // This tab was switched: its address, its composer and all else are those of the session.
        if (session && session !== hearth.session) { location.assign(`/dashboard/s/${encodeURIComponent(session)}`); return; }
        say("");
        viewed = true;
        hearth.tell("view", { session });
        break;
      }
      case "hearth-trouble": {
        const { words, hint } = told(frame);
        say(hint ? `${words}; ${hint}` : words);
        break;
      }
      case "hearth-state":
        stands(frame);
        break;
      default:
    }
    if (frame.cursor) hearth.cursor = Number(frame.cursor);
  };

  // The daemon was replaced by another version while the page was open.
  const reload = () => {
    try {
      const last = Number(sessionStorage.getItem("hearth-reloaded") || 0);
      if (Math.abs(Date.now() - last) < 30000) return;
      sessionStorage.setItem("hearth-reloaded", String(Date.now()));
    } catch { return; }
    location.reload();
  };

  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    queueMicrotask(() => { waiting = false; hearth.tell("patched"); });
  };

  // -- the line ----------------------------------------------------------------------------------------

  const shared = () => {
    const worker = new SharedWorker(document.body.dataset.line, { name: `hearth ${document.body.dataset.build}` });
    port = worker.port;
    port.onmessage = ({ data }) => take(data);
    port.start();
    const join = () => port.postMessage({ say: "join", tab: hearth.tab, session: hearth.session });
    if (navigator.locks) {
      // Held for as long as the page lives; the worker notices when it does not any more.
      navigator.locks.request(`hearth-tab-${hearth.tab}`, () => { join(); return new Promise(() => {}); }).catch(join);
    } else join();
    worker.onerror = () => { if (state === "opening") alone(); };
  };

  const alone = () => {
    const script = document.createElement("script");
    script.integrity = document.body.dataset.lineHash;
    script.src = document.body.dataset.line;
    script.onload = () => {
      const line = new self.HearthLine((_, frame) => take(frame));
      line.join(hearth.tab, hearth.session);
      port = {
        postMessage: ({ say: what, session }) => {
          if (what === "show") line.tabs.set(hearth.tab, { session });
          else if (what === "again") { if (line.open) line.add(hearth.tab, hearth.session); }
          else if (what === "now") line.now();
          else if (what === "leave") line.leave(hearth.tab);
        },
      };
    };
    document.head.append(script);
  };

  const begin = () => {
    try {
      if (typeof SharedWorker === "undefined") alone();
      else shared();
    } catch (error) {
      console.error(error);
      alone();
    }
  };

  hearth.show = (session) => {
    hearth.session = session;
    document.body.dataset.session = session;
    if (port) port.postMessage({ say: "show", session });
  };

  // Have everything sent once more.
  hearth.again = () => { if (port) port.postMessage({ say: "again" }); };

  // A page that comes back looks at once whether its line still lives.
  const now = () => { if (port && !document.hidden) port.postMessage({ say: "now" }); };
  document.addEventListener("visibilitychange", now);
  addEventListener("online", now);
  addEventListener("focus", now);
  addEventListener("pageshow", (evt) => { if (evt.persisted) location.reload(); });
  addEventListener("pagehide", () => { if (port) port.postMessage({ say: "leave" }); });

  setTimeout(() => { if (!viewed && state === "opening") say("The daemon does not answer yet. Connecting …"); }, 4000);
  begin();
})();

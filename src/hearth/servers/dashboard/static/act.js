// What elements do when they are used. The attributes beside `data-on:…` say it (see actions.py).
(() => {
  "use strict";
  const hearth = window.hearth;
  const body = document.body;
  hearth.session = body.dataset.session || "";
  hearth.tab = Array.from(crypto.getRandomValues(new Uint8Array(9)), (n) => (n % 36).toString(36)).join("");
  body.dataset.tab = hearth.tab;

  // -- telling the other scripts ----------------------------------------------------------------

  const listeners = new Map();
  hearth.on = (name, listener) => {
    if (!listeners.has(name)) listeners.set(name, []);
    listeners.get(name).push(listener);
  };
  hearth.tell = (name, about) => {
    for (const listener of listeners.get(name) || []) {
      // One that fails must not keep the others from hearing.
      try { listener(about); } catch (error) { console.error(name, error); }
    }
  };

  // -- patches ----------------------------------------------------------------------------------

  // Datastar listens for this; whoever has markup for the page gives it so.
  hearth.apply = (args) => {
    try {
      document.dispatchEvent(new CustomEvent("datastar-fetch", {
        detail: { type: "datastar-patch-elements", el: body, argsRaw: args },
      }));
    } catch (error) {
      console.error("a patch was not applied", error);
    }
  };
  hearth.patch = (markup) => {
    const holder = document.createElement("template");
    holder.innerHTML = markup;
    // What an answer is for may be gone when it comes: a dialog was closed meanwhile.
    const there = Array.from(holder.content.children).filter((one) => document.getElementById(one.id));
    if (there.length) hearth.apply({ elements: there.map((one) => one.outerHTML).join("") });
    hearth.tell("patched");
  };

  // -- the focus ----------------------------------------------------------------------------------

  // What had it may go with what was done by it. What it was in has it then: nobody begins anew.
  let held = null;
  document.addEventListener("pointerdown", () => { held = null; }, true);
  document.addEventListener("focusin", ({ target }) => {
    const within = (where) => target.closest(where)?.id || "";
    held = { target, menu: within("details.menu"), item: within("#timeline > .item"), panel: within("#panel") };
  });

  const heir = ({ menu, item, panel }) => {
    const found = document.getElementById(menu || item || panel);
    if (menu) return found && found.querySelector("summary");
    if (panel) return found && found.querySelector('[aria-selected="true"]');
    if (found) found.tabIndex = -1;
    return found;
  };

  hearth.on("patched", () => {
    if (!held || (held.target.isConnected && !held.target.disabled)) return;
    const now = document.activeElement;
    if (now && now !== body && now !== held.target) return;
    heir(held)?.focus({ preventScroll: true });
  });

  // -- asking the daemon --------------------------------------------------------------------------

  const asked = (path, { method = "GET", json, headers = {} } = {}) => {
    const how = { method, headers: { ...headers }, credentials: "same-origin", cache: "no-store" };
    if (json !== undefined) {
      how.headers["Content-Type"] = "application/json";
      how.body = JSON.stringify(json);
    }
    return fetch(path, how);
  };

  const connected = () => new Promise((resolve) => {
    hearth.on("view", resolve);
    setTimeout(resolve, 5000);
  });

  hearth.fetch = async (path, how = {}) => {
    const response = await asked(path, how);
    // 410: this tab is not on its line, yet or any more. It soon is.
    if (response.status !== 410 || !how.json || !how.json.tab) return response;
    await connected();
    return asked(path, how);
  };

  hearth.freshKey = () => crypto.randomUUID();

  const answered = async (response) => {
    let said = null;
    try { said = await response.json(); } catch { said = null; }
    return { ok: response.ok, status: response.status, body: said };
  };

  // A command of hearth's vocabulary, by the route that every program uses.
  hearth.send = async (session, command, { wait = false, key } = {}) => {
    const headers = {};
    if (wait) headers.Prefer = "wait=20";
    if (key) headers["Idempotency-Key"] = key;
    try {
      const path = `/sessions/${encodeURIComponent(session)}/commands`;
      return await answered(await hearth.fetch(path, { method: "POST", json: command, headers }));
    } catch {
      const error = { code: "not_reached", message: "the daemon cannot be reached", hint: "what you wrote is still here; try again when it is back" };
      return { ok: false, status: 0, body: { error } };
    }
  };

  hearth.refusal = (answer) => {
    const error = answer.body && answer.body.error;
    if (!error) return `it was not done (${answer.status})`;
    return error.hint ? `${error.message}; ${error.hint}` : error.message;
  };

  // -- telling the person -------------------------------------------------------------------------

  hearth.toast = (kind, words) => {
    const all = document.getElementById("toasts");
    if (!all) return;
    const one = document.createElement("div");
    one.className = `toast toast-${kind}`;
    one.setAttribute("role", kind === "bad" ? "alert" : "status");
    const text = document.createElement("span");
    text.textContent = words;
    const close = document.createElement("button");
    close.type = "button";
    close.className = "btn btn-quiet btn-small";
    close.textContent = "Close";
    close.addEventListener("click", () => one.remove());
    one.append(text, close);
    all.append(one);
    while (all.children.length > 4) all.firstChild.remove();
    setTimeout(() => one.remove(), kind === "bad" ? 15000 : 5000);
  };

  hearth.dialog = (id) => {
    const dialog = document.getElementById(id);
    if (dialog && !dialog.open) dialog.showModal();
    return dialog;
  };

  hearth.ask = (words) => new Promise((resolve) => {
    const dialog = document.getElementById("ask");
    if (!dialog) { resolve(window.confirm(words)); return; }
    const place = dialog.querySelector("#ask-in") || dialog.querySelector("p");
    if (place) place.textContent = words;
    dialog.returnValue = "";
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
    dialog.showModal();
  });

  // -- elements -----------------------------------------------------------------------------------

  const fieldsOf = (el, evt) => {
    const form = el.tagName === "FORM" ? el : null;
    const fields = {};
    if (form) {
      const data = new FormData(form, evt && evt.submitter ? evt.submitter : undefined);
      for (const [name, value] of data) if (typeof value === "string") fields[name] = value;
    } else if (el.name && "value" in el && el.tagName !== "BUTTON") {
      fields[el.name] = el.type === "checkbox" ? String(el.checked) : el.value;
    }
    return fields;
  };

  const command = async (el, evt) => {
    const words = JSON.parse(el.dataset.command);
    const fields = fieldsOf(el, evt);
    for (const name of (el.dataset.fills || "").split(" ").filter(Boolean)) {
      if (name in fields) words[name] = fields[name] === "" && words[name] === null ? null : fields[name];
    }
    const answer = await hearth.send(el.dataset.session, words, { wait: Boolean(el.dataset.wait) });
    if (!answer.ok) { hearth.toast("bad", hearth.refusal(answer)); return false; }
    if (el.tagName === "FORM") {
      const folded = el.closest("details");
      if (folded) folded.open = false;
    }
    return true;
  };

  const markup = async (response) => {
    if (response.ok) {
      const kind = response.headers.get("Content-Type") || "";
      if (response.status !== 204 && kind.includes("text/html")) hearth.patch(await response.text());
      return true;
    }
    hearth.toast("bad", hearth.refusal(await answered(response)));
    return false;
  };

  const get = async (el, evt) => {
    const address = new URL(el.dataset.get, location.origin);
    for (const [name, value] of Object.entries(fieldsOf(el, evt))) address.searchParams.set(name, value);
    return markup(await hearth.fetch(address.pathname + address.search));
  };

  const post = async (el, evt) => {
    const said = { tab: hearth.tab, session: hearth.session };
    Object.assign(said, JSON.parse(el.dataset.fields || "{}"), fieldsOf(el, evt));
    return markup(await hearth.fetch(el.dataset.post, { method: "POST", json: said }));
  };

  const wordsOf = ({ dataset }) => JSON.stringify(
    [dataset.confirm, dataset.session, dataset.command, dataset.post, dataset.fields]
  );

  hearth.act = async (el, evt) => {
    if (evt.type === "submit") evt.preventDefault();
    if (el.getAttribute("aria-disabled") === "true") { evt.preventDefault(); return; }
    if (el.dataset.confirm) {
      // While it is asked, what it is about may be redrawn: what is done is what was asked, or nothing.
      const meant = wordsOf(el);
      if (!(await hearth.ask(el.dataset.confirm))) return;
      if (wordsOf(el) !== meant) {
        hearth.toast("info", "Nothing was done: this has changed meanwhile. Look again.");
        return;
      }
    }
    const busy = el.tagName === "FORM" ? evt.submitter : el;
    const slow = el.dataset.command || el.dataset.post || el.dataset.get;
    if (slow && busy && busy.dataset.busy) return; // once is enough
    if (slow && busy) busy.dataset.busy = "1";
    try {
      if (el.dataset.local) {
        const known = hearth.local[el.dataset.local];
        if (known) await known(el, evt);
        else console.error("nothing is called", el.dataset.local);
      } else if (el.dataset.command) await command(el, evt);
      else if (el.dataset.get) await get(el, evt);
      else if (el.dataset.post) await post(el, evt);
    } catch (error) {
      console.error(error);
      hearth.toast("bad", "the daemon cannot be reached; try again when it is back");
    } finally {
      if (busy) delete busy.dataset.busy;
    }
  };

  // Fields with keys of their own say by which name: `data-keys`, `data-types`.
  hearth.keys = {};
  hearth.types = {};
  hearth.key = (el, evt) => (hearth.keys[el.dataset.keys] || (() => {}))(el, evt);
  hearth.typed = (el, evt) => (hearth.types[el.dataset.types] || (() => {}))(el, evt);
})();

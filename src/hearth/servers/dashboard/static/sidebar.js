// The sidebar and the page of all sessions: what the page does by itself, without asking anybody.
// The server draws the list; here it is marked, filtered, moved through and put in order.
(() => {
  "use strict";

  const NARROW = "(max-width: 899.98px)";
  const MINUTE = 60;
  const HOUR = 60 * MINUTE;
  const DAY = 24 * HOUR;

  const byId = (id) => document.getElementById(id);
  const own = () => document.body.dataset.session || "";
  const later = (wait, what) => {
    let due = 0;
    return (...about) => {
      clearTimeout(due);
      due = setTimeout(() => what(...about), wait);
    };
  };

  // --- asking the server ------------------------------------------------------------------------

  async function ask(path, json) {
    try {
      const how = json === undefined ? { method: "GET" } : { method: "POST", json };
      const answer = await hearth.fetch(path, how);
      if (answer.status === 200) {
        hearth.patch(await answer.text());
      } else if (!answer.ok) {
        const said = await answer.json().catch(() => null);
        hearth.toast("bad", hearth.refusal({ status: answer.status, body: said }));
      }
      return answer.ok;
    } catch {
      return false; // the banner says that nobody answers
    }
  }

  const desk = (changes) => ask("/dashboard/desk", changes);

  // --- after patches ----------------------------------------------------------------------------

  const last = {};

  function settled() {
    go();
    opened();
    marked();
    arranged();
    filtered();
    times();
  }

  function go() {
    const told = byId("go");
    const { to, left } = told?.dataset ?? {};
    if (!to && !left) return;
    delete told.dataset.to;
    delete told.dataset.left;
    if (to && /^\/dashboard(\/|\?|$)/.test(to)) location.assign(to);
    else if (left && left === own()) location.assign("/dashboard");
  }

  function opened() {
    const inside = byId("dialog-in");
    if (!inside?.dataset.opens) return;
    delete inside.dataset.opens;
    if (!byId("dialog")?.open) hearth.dialog("dialog");
    const wrong = inside.querySelector("[aria-invalid]");
    const first = wrong || inside.querySelector("[autofocus]") || inside.querySelector("input");
    first?.focus();
    if (!wrong) first?.select?.();
  }

  function marked() {
    for (const link of document.querySelectorAll("#sidebar .session-open")) {
      const is = link.parentElement.dataset.session === own() && own() !== "";
      if (is) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  // What was changed in another tab, or on another device, is taken over; what this tab has just
  // changed itself is not undone by a patch that was on its way.
  function arranged() {
    const { theme = "system", collapsed = "0", filter = "" } = byId("sidebar")?.dataset ?? {};
    if (theme !== last.theme) painted((last.theme = theme));
    if (collapsed !== last.collapsed) {
      last.collapsed = collapsed;
      document.body.dataset.sidebar = collapsed === "1" ? "closed" : "open";
    }
    if (filter !== last.filter) {
      last.filter = filter;
      const field = byId("side-filter");
      if (field && document.activeElement !== field) field.value = filter;
    }
  }

  function painted(theme) {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    for (const one of document.querySelectorAll('#sidebar [data-local="theme"]')) {
      one.setAttribute("aria-pressed", String(one.dataset.to === theme));
    }
  }

  // --- times, in the words of the server (pieces.py) --------------------------------------------

  const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

  function since(at, now) {
    const seconds = (now - at) / 1000;
    if (seconds < 45) return "just now";
    if (seconds < HOUR) return `${Math.max(1, Math.round(seconds / MINUTE))} min ago`;
    if (seconds < DAY) return `${Math.round(seconds / HOUR)} h ago`;
    if (seconds < 7 * DAY) return `${Math.round(seconds / DAY)} d ago`;
    return `${at.getDate()} ${MONTHS[at.getMonth()]} ${at.getFullYear()}`;
  }

  function times() {
    if (document.hidden) return;
    const now = new Date();
    for (const one of document.querySelectorAll("time.ago")) {
      const at = new Date(one.dateTime);
      if (Number.isNaN(at.getTime())) continue;
      const words = since(at, now);
      if (one.textContent !== words) one.textContent = words;
      const exact = at.toLocaleString();
      if (one.title !== exact) one.title = exact;
    }
  }

  // --- filter -----------------------------------------------------------------------------------

  let unkept = null; // a filter that the desk has not been told of
  const keepFilter = later(600, () => {
    if (unkept !== null) desk({ filter: unkept });
    unkept = null;
  });

  addEventListener("pagehide", () => {
    if (unkept === null) return;
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ filter: unkept });
    unkept = null;
    fetch("/dashboard/desk", { method: "POST", keepalive: true, headers, body }).catch(() => {});
  });

  function filtered() {
    const words = (byId("side-filter")?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    let earlier = 0;
    for (const row of document.querySelectorAll("#sidebar .session")) {
      const fits = words.every((word) => row.dataset.find.includes(word));
      if (row.hidden === fits) row.hidden = !fits;
      if (fits && row.parentElement.id === "side-open") shown += 1;
      else if (fits) earlier += 1;
    }
    const none = byId("side-unfound");
    if (none) none.hidden = !words.length || shown + earlier > 0;
    const fold = byId("side-earlier");
    if (fold && words.length && !shown && earlier) fold.open = true;
  }

  // --- order ------------------------------------------------------------------------------------

  const openRows = () => [...document.querySelectorAll("#side-open > .session")];
  const order = () => openRows().map((row) => row.dataset.session);
  const keepOrder = later(250, () => ask("/dashboard/order", { order: order().slice(0, 500) }));

  function moved(row, by) {
    const rows = openRows().filter((one) => !one.hidden);
    const beside = rows[rows.indexOf(row) + by];
    if (!beside) return;
    if (by < 0) beside.before(row);
    else beside.after(row);
    row.querySelector(".session-open").focus();
    row.scrollIntoView({ block: "nearest" });
    keepOrder();
  }

  let dragged = null;

  document.addEventListener("dragstart", (event) => {
    const row = event.target.closest?.("#side-open > .session");
    if (!row) return;
    dragged = row.id;
    row.classList.add("session-dragged");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", row.dataset.name);
  });

  document.addEventListener("dragover", (event) => {
    const over = dragged && event.target.closest?.("#side-open > .session");
    if (!over) return;
    event.preventDefault();
    const row = byId(dragged);
    if (!row || row === over) return;
    const box = over.getBoundingClientRect();
    if (event.clientY < box.top + box.height / 2) over.before(row);
    else over.after(row);
  });

  document.addEventListener("drop", (event) => {
    if (dragged && event.target.closest?.("#side-open")) {
      event.preventDefault();
      keepOrder();
    }
  });

  document.addEventListener("dragend", () => {
    byId(dragged ?? "")?.classList.remove("session-dragged");
    dragged = null;
  });

  // --- what can be done with a session ------------------------------------------------------------

  let chosen = ""; // whose menu is open

  const DEEDS = {
    rename: (row) => ask(`/dashboard/rename?session=${encodeURIComponent(row.dataset.session)}`),
    fork: (row) => ask("/dashboard/fork", { session: row.dataset.session }),
    resume: (row) => ask("/dashboard/unarchive", { session: row.dataset.session, resume: "yes" }),
    up: (row) => moved(row, -1),
    down: (row) => moved(row, 1),
    async archive(row) {
      const words = `Archive ${row.dataset.name}? Its agent and its interpreter are stopped; nothing is deleted.`;
      if (await hearth.ask(words)) await ask("/dashboard/archive", { session: row.dataset.session });
    },
  };

  function withSession(name, row) {
    if (row) DEEDS[name]?.(row);
  }

  hearth.local.withSession = (el) => {
    el.closest("[popover]")?.hidePopover();
    withSession(el.dataset.does, byId(chosen));
  };

  document.addEventListener(
    "click",
    (event) => {
      const more = event.target.closest?.(".session-more");
      if (!more) return;
      chosen = more.closest(".session").id;
      const menu = byId(more.getAttribute("popovertarget"));
      requestAnimationFrame(() => placed(menu, more.getBoundingClientRect()));
    },
    true,
  );

  function placed(menu, beside) {
    if (!menu?.matches(":popover-open")) return;
    const { width, height } = menu.getBoundingClientRect();
    const below = beside.bottom + 4;
    const top = below + height > innerHeight ? Math.max(8, beside.top - height - 4) : below;
    const left = Math.min(Math.max(8, beside.right - width), innerWidth - width - 8);
    menu.style.insetBlockStart = `${top}px`;
    menu.style.insetInlineStart = `${left}px`;
    menu.querySelector("button")?.focus();
  }

  // --- sidebar, drawer, colours -------------------------------------------------------------------

  hearth.local.toggleSidebar = () => {
    const body = document.body;
    if (matchMedia(NARROW).matches) {
      if (body.dataset.drawer === "sidebar") undrawn();
      else {
        body.dataset.drawer = "sidebar";
        const wanted = ["[aria-current]", ".session-open", "a"].map((one) => `#sidebar ${one}`);
        const first = wanted.map((one) => document.querySelector(one)).find(Boolean);
        setTimeout(() => first?.focus(), 180); // once it can be seen
      }
      return;
    }
    const closes = body.dataset.sidebar !== "closed";
    body.dataset.sidebar = closes ? "closed" : "open";
    if (closes && byId("sidebar")?.contains(document.activeElement)) {
      (byId("head-toggleSidebar") || document.querySelector(".home-drawer"))?.focus();
    }
    desk({ collapsed: closes });
  };

  function undrawn() {
    delete document.body.dataset.drawer;
    (byId("head-toggleSidebar") || document.querySelector(".home-drawer"))?.focus();
  }

  document.addEventListener("click", (event) => {
    if (event.target === document.body && document.body.dataset.drawer) undrawn();
  });

  hearth.local.theme = (el) => {
    painted(el.dataset.to);
    desk({ theme: el.dataset.to });
  };

  // --- keys -----------------------------------------------------------------------------------------

  function walked(links, by, from) {
    const to = Math.min(Math.max(links.indexOf(from) + by, 0), links.length - 1);
    links[to]?.focus();
    return links.length > 0;
  }

  const visible = (selector) =>
    [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());

  function inSidebar(event) {
    const row = event.target.closest(".session");
    const by = { ArrowDown: 1, ArrowUp: -1, Home: -9999, End: 9999 }[event.key];
    const isField = event.target.id === "side-filter";
    if (by && Math.abs(by) === 1 && event.altKey && row && !row.matches(".session-over")) {
      moved(row, by);
    } else if (by && !event.altKey && !event.target.closest("[popover]")) {
      if (isField && event.key !== "ArrowDown") return;
      const links = visible("#sidebar .session-open");
      if (!isField && !row) return;
      if (event.key === "ArrowUp" && row?.querySelector("a") === links[0]) byId("side-filter").focus();
      else walked(links, isField ? 1 : by, isField ? null : row.querySelector("a"));
    } else if (event.key === "F2" && row) {
      withSession("rename", row);
    } else if (event.key === "Delete" && row && !row.matches(".session-over")) {
      withSession("archive", row);
    } else if (event.key === "Enter" && isField && event.target.value.trim()) {
      ask(`/dashboard/search?for=${encodeURIComponent(event.target.value.trim())}`);
    } else if (event.key === "Escape" && isField && event.target.value) {
      event.target.value = "";
      event.target.dispatchEvent(new Event("input", { bubbles: true }));
    } else return;
    event.preventDefault();
  }

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || !(event.target instanceof Element)) return;
    if (event.target.closest("#sidebar")) inSidebar(event);
    else if (event.target.closest("#search, #found")) inSearch(event);
    if (event.key !== "Escape" || event.defaultPrevented || !document.body.dataset.drawer) return;
    if (!document.querySelector("dialog[open]")) undrawn(); // what lies above it is closed first
  });

  // --- search -----------------------------------------------------------------------------------

  let asked = 0;

  async function searched(query) {
    const number = (asked += 1);
    byId("found")?.setAttribute("aria-busy", "true");
    try {
      const path = `/dashboard/search?q=${encodeURIComponent(query)}`;
      const answer = await hearth.fetch(path, { method: "GET" });
      const html = await answer.text();
      if (number === asked && answer.ok) hearth.patch(html);
    } catch {
      // the banner says that nobody answers
    }
  }

  const searchSoon = later(250, searched);

  function inSearch(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    const links = [...document.querySelectorAll("#found .found-open")];
    const from = event.target.closest(".found-open");
    if (by < 0 && from === links[0]) byId("search-for")?.focus();
    else if (!walked(links, by, from)) return;
    event.preventDefault();
  }

  // --- what is typed --------------------------------------------------------------------------------

  const looked = later(350, (field) => {
    const place = field.dataset.found === "new-home-found" ? "home" : "dialog";
    const about = new URLSearchParams({ directory: field.value, place });
    ask(`/dashboard/projects?${about}`);
  });

  document.addEventListener("input", (event) => {
    const field = event.target;
    if (field.id === "side-filter") {
      filtered();
      last.filter = unkept = field.value;
      keepFilter();
    } else if (field.id === "search-for") searchSoon(field.value);
    else if (field.matches?.(".new-directory")) looked(field);
  });

  document.addEventListener("focusin", (event) => {
    const field = event.target;
    if (!field.matches?.(".new-directory")) return;
    if (!byId(field.dataset.found)?.childElementCount) looked(field);
  });

  document.addEventListener("submit", (event) => {
    if (event.target.id === "search") {
      event.preventDefault();
      searched(byId("search-for").value);
    } else if (event.target.dataset.closes) byId("dialog")?.close();
  });

  hearth.on("patched", settled);
  document.addEventListener("visibilitychange", times);
  setInterval(times, 20_000);
  settled();
})();

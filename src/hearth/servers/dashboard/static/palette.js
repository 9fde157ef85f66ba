// Everything by keyboard: the palette, single keys, menus and drawers; and what shows the state of
// the session where the page itself is not seen, which is the title and the icon.
(() => {
  "use strict";

  const $ = (id) => document.getElementById(id);
  const hearth = (window.hearth = window.hearth || {});
  hearth.local = hearth.local || {};

  const MOST_FOUND = 60;
  const SEQUENCE = 1200; // milliseconds for the second key of two
  const THEMES = ["system", "light", "dark"];
  const ACTS = "[data-command],[data-post],[data-get],[data-local]";
  const isNarrow = () => matchMedia("(max-width: 899.98px)").matches;

  // --- The keys, all of them: what the dialog shows and what single keys do ------------------------

  const KEYS = [
    ["Anywhere", [
      ["Ctrl K", "Palette: actions, sessions, panels"],
      ["Ctrl /", "Switch between code and ask"],
      ["Alt C", "Write code"],
      ["Alt A", "Ask the agent"],
      ["Escape", "Close what is open"],
    ]],
    ["Outside of fields", [
      ["?", "These keys", () => keys()],
      ["g h", "All sessions", () => go("/dashboard")],
      ["n", "Next session that needs you", () => nextThatNeeds()],
      ["/", "Search sessions", () => search()],
      ["c", "Write code", () => hearth.composer?.focus("code")],
      ["a", "Ask the agent", () => hearth.composer?.focus("ask")],
      ["j", "Next item", () => step(1)],
      ["k", "Item before", () => step(-1)],
      ["G", "The latest", () => latest()],
      ["x", "Open or fold the item that has the focus", () => unfold()],
      ["u", "Undo: take the latest cell back", () => press("do-undo")],
      ["U", "Redo: bring back what was taken back", () => press("do-redo")],
      ["r", "Rewind to the prompt that has the focus", () => rewind()],
      ["b", "Branches of this session", () => press("tab-branches")],
      ["p", "Go to the panel", () => toPanel()],
      ["[", "Show or hide the sidebar", () => hearth.local.toggleSidebar()],
      ["]", "Show or hide the panel", () => hearth.local.togglePanel()],
      ["t", "Light, dark, or as the system has it", () => theme()],
    ]],
    ["While you write code", [
      ["Shift Enter", "Run"],
      ["Enter", "New line, indented"],
      ["Tab", "Complete; at the beginning of a line, indent"],
      ["Ctrl Shift Space", "What is this?"],
      ["Ctrl ↑", "What was run before"],
      ["Ctrl ↓", "And forward again"],
      [">", "As the first character: ask the agent"],
      ["Escape", "Leave the field; twice, while a cell runs: stop it"],
    ]],
    ["While you ask", [
      ["Enter", "Send"],
      ["Shift Enter", "New line"],
      ["↑", "In an empty field: say the last again, otherwise"],
      ["Escape", "Leave the field; twice, while the agent works: stop it"],
    ]],
  ];

  const SINGLE = new Map();
  for (const [, rows] of KEYS) {
    for (const [name, , run] of rows) if (run) SINGLE.set(name, run);
  }

  function element(tag, kind, words) {
    const made = document.createElement(tag);
    if (kind) made.className = kind;
    if (words !== undefined) made.textContent = words;
    return made;
  }

  function keys() {
    const into = $("keys-in");
    if (into && !into.childElementCount) {
      for (const [title, rows] of KEYS) {
        const list = element("dl", "keys-list");
        for (const [name, words] of rows) {
          const term = element("dt");
          for (const one of name.split(" ")) term.append(element("kbd", "", one), " ");
          list.append(term, element("dd", "", words));
        }
        const part = element("section", "keys-part");
        part.append(element("h3", "", title), list);
        into.append(part);
      }
    }
    open("keys");
  }

  function open(id) {
    const dialog = $(id);
    if (!dialog || dialog.open) return;
    for (const other of document.querySelectorAll("dialog[open]")) other.close();
    dialog.showModal();
  }

  hearth.local.keys = () => keys();
  hearth.local.close = (el) => ($(el.dataset.of || "") || el.closest("dialog"))?.close();
  hearth.local.closeDialog = hearth.local.closeDialog || ((el) => el.closest("dialog")?.close());
  hearth.local.palette = () => showPalette();

  // --- Going about ---------------------------------------------------------------------------------

  function go(path) {
    location.assign(path);
  }

  const items = () => [...document.querySelectorAll("#timeline > .item, #home [data-session]")];

  function step(by) {
    const all = items();
    if (!all.length) return;
    const held = document.activeElement?.closest?.("#timeline > .item, #home [data-session]");
    let at = all.indexOf(held) + by;
    if (!held) {
      // From what is in sight: the first below the upper edge, or the last above the lower one.
      const edge = $("scroll")?.getBoundingClientRect() || { top: 0, bottom: innerHeight };
      const seen = all.filter((one) => {
        const box = one.getBoundingClientRect();
        return box.bottom > edge.top + 8 && box.top < edge.bottom - 8;
      });
      at = all.indexOf(by > 0 ? seen[0] : seen[seen.length - 1]);
    }
    const next = all[Math.max(0, Math.min(all.length - 1, at))];
    const target = next.matches("#home [data-session]") ? next.querySelector("a[href]") || next : next;
    if (!target.hasAttribute("tabindex") && target === next) target.tabIndex = -1;
    target.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }

  function latest() {
    const button = $("latest");
    if (button && !button.hidden) button.click();
    else if ($("scroll")) $("scroll").scrollTop = $("scroll").scrollHeight;
    items().at(-1)?.focus?.({ preventScroll: true });
  }

  function unfold() {
    const item = document.activeElement?.closest?.("#timeline > .item");
    const folds = item ? [...item.querySelectorAll("details:not(.menu)")] : [];
    const shut = folds.some((one) => one.open);
    for (const one of folds) one.open = !shut;
  }

  // What is offered in a menu or among the tabs; if it is not now, why.
  function press(id) {
    const button = $(id);
    if (!button) return;
    if (button.disabled) hearth.toast("info", `${nameOf(button)}: ${button.title}`);
    else button.click();
    const isTab = button.getAttribute("role") === "tab";
    if (isTab && isNarrow() && document.body.dataset.drawer !== "panel") drawer("panel");
  }

  function rewind() {
    const item = document.activeElement?.closest?.("#timeline > .item");
    const button = item?.querySelector('[data-post="/dashboard/rewind"]');
    if (button) button.click();
    else hearth.toast("info", "Go to a prompt first, with j and k: it is rewound to there.");
  }

  function nextThatNeeds() {
    const rows = [...document.querySelectorAll("#sidebar [data-session]")];
    const here = rows.findIndex((one) => one.dataset.session === hearth.session);
    const around = [...rows.slice(here + 1), ...rows.slice(0, Math.max(0, here))];
    const found = around.find((one) => one.querySelector(".mark-needs, .dot-needs"));
    const link = found?.querySelector("a[href]");
    if (link) link.click();
    else hearth.toast("info", "No other session needs you.");
  }

  function search() {
    const wanted = document.querySelector('#sidebar input[type="search"]');
    const shown = wanted?.checkVisibility?.() ?? Boolean(wanted?.offsetParent);
    if (!shown) {
      const button = document.querySelector('#sidebar [data-get^="/dashboard/search"]');
      if (button) {
        button.click();
        return;
      }
      hearth.local.toggleSidebar();
    }
    document.querySelector('#sidebar input[type="search"]')?.focus();
  }

  // --- Drawers ---------------------------------------------------------------------------------------

  let opener = null;

  function drawer(side) {
    if (side) opener = document.activeElement;
    if (side) document.body.dataset.drawer = side;
    else delete document.body.dataset.drawer;
    if (side) firstIn($(side))?.focus({ preventScroll: true });
    else if (opener?.isConnected) opener.focus({ preventScroll: true });
  }

  function firstIn(box) {
    return box?.querySelector('a[href], button:not([disabled]), input, select, summary, [tabindex="0"]');
  }

  function toggle(side) {
    if (isNarrow()) {
      drawer(document.body.dataset.drawer === side ? "" : side);
      return;
    }
    const is = document.body.dataset[side] === "closed";
    document.body.dataset[side] = is ? "open" : "closed";
  }

  hearth.local.toggleSidebar = hearth.local.toggleSidebar || (() => toggle("sidebar"));
  hearth.local.togglePanel = hearth.local.togglePanel || (() => toggle("panel"));
  hearth.drawer = drawer;

  function toPanel() {
    if (isNarrow() || document.body.dataset.panel === "closed") hearth.local.togglePanel();
    const panel = $("panel");
    (panel?.querySelector('[aria-selected="true"], [aria-current="true"]') || firstIn(panel))?.focus();
  }

  // --- Colours ---------------------------------------------------------------------------------------

  function theme(wanted) {
    const known = THEMES.indexOf(document.documentElement.dataset.theme || "system");
    const next = THEMES.includes(wanted) ? wanted : THEMES[(known + 1) % THEMES.length];
    hearth.local.theme({ dataset: { to: next } });
  }

  // The sidebar, which shows what is chosen, has its own.
  hearth.local.theme = (el) => {
    document.documentElement.dataset.theme = el.dataset.to;
    hearth
      .fetch("/dashboard/desk", { method: "POST", json: { tab: hearth.tab, theme: el.dataset.to } })
      .catch(() => hearth.toast("bad", "The daemon is away: these colours last as long as this page."));
  };

  // --- The palette -----------------------------------------------------------------------------------

  let found = [];
  let chosen = 0;
  let entries = [];

  const clean = (text) => (text || "").replace(/\s+/g, " ").trim();

  function nameOf(el) {
    const by = el.getAttribute("aria-labelledby");
    if (el.getAttribute("aria-label")) return clean(el.getAttribute("aria-label"));
    if (by) return clean(by.split(" ").map((id) => $(id)?.textContent || "").join(" "));
    const said = (el.querySelector(".btn-label") || el).cloneNode(true);
    for (const one of said.querySelectorAll("[aria-hidden=true]")) one.remove();
    return clean(said.textContent) || clean(el.title);
  }

  const isSeen = (el) => el.checkVisibility?.({ visibilityProperty: true }) ?? Boolean(el.offsetParent);

  /** What can be done on this page now: what is in sight, and what the menus of the head hold. */
  function gather() {
    const made = [];
    const known = new Set();
    const add = (group, words, run, more = "") => {
      const id = group === "Session" ? `${words}\n${made.length}` : words; // two may be called the same
      if (!words || known.has(id)) return;
      known.add(id);
      made.push({ group, words, more: clean(more), run });
    };
    const item = document.activeElement?.closest?.("#timeline > .item");
    for (const el of document.querySelectorAll(`button:is(${ACTS}), a:is(${ACTS})`)) {
      if (el.disabled || el.getAttribute("aria-disabled") === "true" || el.closest("dialog")) continue;
      const inItem = el.closest("#timeline > .item");
      if (inItem && inItem !== item) continue;
      if (el.closest("[popover]") || el.closest("#sidebar li") || el.id.startsWith("head-toggle")) continue;
      const isTab = el.getAttribute("role") === "tab"; // also of a panel that is put away
      if (!el.closest("#head") && !isTab && !isSeen(el)) continue;
      const group = inItem ? "This item" : el.closest("#panel") ? "Panel" : "Action";
      add(group, nameOf(el), () => el.click(), el.getAttribute("aria-description") || "");
    }
    for (const el of document.querySelectorAll('#sidebar a[href^="/dashboard/s/"]')) {
      const row = el.closest("[data-session]");
      const words = row?.dataset.name || el.querySelector(".session-name")?.textContent || el.textContent;
      add("Session", clean(words), () => el.click(), el.querySelector(".session-state")?.textContent);
    }
    for (const [title, rows] of KEYS) {
      if (title !== "Outside of fields") continue;
      for (const [name, words, run] of rows) {
        const isHere = !/^[ca]$/.test(name) || $("composer");
        if (run && isHere && !/^[jkxr]$/.test(name)) add("Go", words, run, name);
      }
    }
    for (const one of THEMES) {
      const words = { system: "as the system has them", light: "light", dark: "dark" }[one];
      add("Colours", `Colours: ${words}`, () => theme(one));
    }
    return made;
  }

  /** How well letters fit words, in their order; less than nothing: not at all. */
  function score(letters, words) {
    const text = words.toLowerCase();
    let at = 0;
    let sum = 0;
    let run = 0;
    for (const one of letters) {
      if (one === " ") {
        run = 0;
        continue;
      }
      const next = text.indexOf(one, at);
      if (next < 0) return -1;
      const begins = next === 0 || /[\s:/._-]/.test(text[next - 1]);
      run = next === at && at > 0 ? run + 1 : 0;
      sum += 1 + run * 3 + (begins ? 4 : 0) - Math.min(3, (next - at) / 8);
      at = next + 1;
    }
    return sum + (text.startsWith(letters) ? 10 : 0) - text.length / 100;
  }

  function filter() {
    const wanted = $("palette-text").value.trim().toLowerCase();
    found = entries
      .map((one) => ({ one, fits: wanted ? score(wanted, `${one.words} ${one.group}`) : 0 }))
      .filter(({ fits }) => fits >= 0)
      .sort((a, b) => b.fits - a.fits)
      .slice(0, MOST_FOUND)
      .map(({ one }) => one);
    chosen = 0;
    $("palette-list").replaceChildren(...found.map(row));
    $("palette-none").hidden = found.length > 0;
    $("palette-list").hidden = found.length === 0;
    choose();
  }

  function row(entry, number) {
    const made = element("div", "palette-row");
    made.id = `palette-${number}`;
    made.setAttribute("role", "option");
    made.dataset.number = String(number);
    made.append(element("span", "palette-words", entry.words));
    if (entry.more) made.append(element("span", "palette-more muted", entry.more));
    made.append(element("span", "palette-group muted", entry.group));
    return made;
  }

  function choose() {
    const rows = [...$("palette-list").children];
    for (const [number, one] of rows.entries()) {
      one.setAttribute("aria-selected", number === chosen ? "true" : "false");
      if (number === chosen) one.scrollIntoView({ block: "nearest" });
    }
    const field = $("palette-text");
    field.setAttribute("aria-expanded", rows.length ? "true" : "false");
    if (rows.length) field.setAttribute("aria-activedescendant", `palette-${chosen}`);
    else field.removeAttribute("aria-activedescendant");
  }

  function run(number) {
    const entry = found[number];
    $("palette").close();
    entry?.run();
  }

  function showPalette() {
    if (!$("palette")) return;
    if ($("palette").open) {
      $("palette").close();
      return;
    }
    entries = gather();
    $("palette-text").value = "";
    open("palette");
    filter();
    $("palette-text").focus();
  }

  function inPalette(evt) {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[evt.key];
    if (by && found.length) {
      const next = chosen + by;
      chosen = Math.abs(by) > 1
        ? Math.max(0, Math.min(found.length - 1, next))
        : (next + found.length) % found.length;
      choose();
    } else if (evt.key === "Enter") run(chosen);
    else return;
    evt.preventDefault();
  }

  // --- Keys ------------------------------------------------------------------------------------------

  let first = "";
  let firstAt = 0;

  const isField = (el) =>
    Boolean(el?.closest?.('input:not([type="radio"],[type="checkbox"]), textarea, select, [contenteditable]'));

  function pressed(evt) {
    if (evt.isComposing || evt.defaultPrevented) return;
    if ((evt.ctrlKey || evt.metaKey) && !evt.altKey && !evt.shiftKey && evt.key.toLowerCase() === "k") {
      evt.preventDefault();
      showPalette();
      return;
    }
    if (evt.target === $("palette-text")) {
      inPalette(evt);
      return;
    }
    if (evt.key === "Escape") {
      if (closeMenus() || document.querySelector("dialog[open]")) return;
      if (document.body.dataset.drawer) drawer("");
      return;
    }
    if (evt.ctrlKey || evt.metaKey || evt.altKey || isField(evt.target)) return;
    if (document.querySelector("dialog[open]") || evt.key.length !== 1) return;
    const both = first && Date.now() - firstAt < SEQUENCE ? `${first} ${evt.key}` : "";
    first = "";
    const act = SINGLE.get(both) || SINGLE.get(evt.key);
    if (act) {
      evt.preventDefault();
      act();
    } else if ([...SINGLE.keys()].some((one) => one.startsWith(`${evt.key} `))) {
      first = evt.key;
      firstAt = Date.now();
    }
  }

  // --- Menus -----------------------------------------------------------------------------------------

  function closeMenus(but) {
    let closed = false;
    for (const one of document.querySelectorAll("details.menu[open]")) {
      if (but && one.contains(but)) continue;
      const held = one.contains(document.activeElement);
      one.open = false;
      closed = true;
      if (held && !but) one.querySelector("summary")?.focus();
    }
    return closed;
  }

  document.addEventListener("keydown", pressed);
  document.addEventListener("input", (evt) => {
    if (evt.target === $("palette-text")) filter();
  });
  document.addEventListener("click", (evt) => {
    const picked = evt.target.closest?.(".palette-row");
    if (picked) run(Number(picked.dataset.number));
    if (evt.target.matches?.("dialog")) {
      // Outside of it: the dialog's own box is the target only where nothing of it is.
      const box = evt.target.getBoundingClientRect();
      const inside =
        evt.clientX >= box.left && evt.clientX <= box.right && evt.clientY >= box.top && evt.clientY <= box.bottom;
      if (!inside && evt.detail) evt.target.close();
    }
    if (evt.target === document.body || evt.target === document.documentElement) {
      if (document.body.dataset.drawer) drawer("");
    }
    closeMenus(evt.target);
    const acts = evt.target.closest?.(`.menu-in button:is(${ACTS})`);
    if (acts) acts.closest("details.menu").open = false;
  });
  // One menu at a time, and its first field is ready to be typed in.
  document.addEventListener(
    "toggle",
    (evt) => {
      const menu = evt.target;
      if (!menu.matches?.("details.menu") || !menu.open) return;
      closeMenus(menu);
      const field = menu.querySelector("input:not([type=hidden])");
      if (field && menu.contains(document.activeElement)) {
        field.focus();
        field.select?.();
      }
    },
    true,
  );

  // --- Time, title, icon -----------------------------------------------------------------------------

  function lasted(seconds) {
    if (seconds < 60) return `${Math.floor(seconds)} s`;
    const minutes = Math.floor(seconds / 60);
    if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
    return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  }

  function tick() {
    const now = Date.now() + (Number(hearth.skew) || 0);
    for (const one of document.querySelectorAll("time[data-since], time[data-until]")) {
      const since = one.dataset.since;
      const passed = since ? now - Date.parse(since) : Date.parse(one.dataset.until) - now;
      const seconds = Math.max(0, passed / 1000);
      const words = Number.isFinite(seconds) ? lasted(since ? seconds : Math.ceil(seconds)) : "";
      if (one.textContent !== words) one.textContent = words;
    }
  }

  function follow() {
    tick();
    const state = $("state")?.dataset;
    if (!state) return;
    if (state.title && document.title !== state.title) document.title = state.title;
    const known = ["idle", "running", "needs", "bad"].includes(state.state) ? state.state : "idle";
    const address = `/dashboard/assets/icon-${known}.svg`;
    let icon = document.querySelector('link[rel~="icon"]');
    if (!icon) {
      icon = document.createElement("link");
      icon.rel = "icon";
      icon.type = "image/svg+xml";
      document.head.append(icon);
    }
    if (icon.getAttribute("href") !== address) icon.setAttribute("href", address);
  }

  hearth.on?.("patched", follow);
  setInterval(() => {
    if (!document.hidden) tick();
  }, 1000);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) tick();
  });
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", follow);
  else follow();

  hearth.palette = { show: showPalette, score, keys: KEYS };
})();

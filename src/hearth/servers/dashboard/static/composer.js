// Where people write: code for the live session, words for its agent.
//
// What is typed is kept here and in sessionStorage, and leaves the field only when the daemon has
// taken it. What may be done now stands in #composer-state, which the server draws.
(() => {
  "use strict";

  const $ = (id) => document.getElementById(id);
  const hearth = (window.hearth = window.hearth || {});
  hearth.local = hearth.local || {};

  const INDENT = "    ";
  const MOST_COLOURED = 10000; // characters: more are shown without colours, and typing stays quick
  const MOST_LISTED = 100;
  const AGAIN = 1500; // milliseconds in which a second Escape stops
  const PAUSE = 150; // milliseconds without a key before a signature is looked up
  const MODES = {
    code: { label: "Code to run", send: "Run", wait: "Queue", hint: "Python, in the live session" },
    ask: { label: "Message to the agent", send: "Send", wait: "Queue", hint: "Ask the agent" },
  };

  const field = () => $("composer-text");
  const form = () => $("composer");
  const session = () => hearth.session || form()?.dataset.session || "";

  /** How the session stands; nothing, while the page still shows the one that was left. */
  function now() {
    const said = $("composer-state")?.dataset;
    return said && said.session === session() ? said : {};
  }

  /** What somebody writes to one session. */
  class Room {
    constructor(of) {
      this.of = of;
      this.mode = "code";
      this.drafts = { code: "", ask: "" };
      this.sent = { code: [], ask: [] }; // what this tab has sent, oldest first
      this.sending = null; // {mode, text, block, key}: the same again is the same command
      this.inFlight = false;
      this.editing = null; // the block that is said otherwise
      this.restore();
    }

    restore() {
      try {
        const kept = JSON.parse(sessionStorage.getItem(`hearth.draft.${this.of}`) || "{}");
        for (const one of ["code", "ask"]) {
          if (typeof kept.drafts?.[one] === "string") this.drafts[one] = kept.drafts[one];
          const lines = kept.sent?.[one];
          if (Array.isArray(lines)) this.sent[one] = lines.filter((text) => typeof text === "string");
        }
        if (typeof kept.sending?.key === "string") this.sending = kept.sending;
        if (typeof kept.editing?.block === "string") this.editing = kept.editing;
        if (MODES[kept.mode]) this.mode = kept.mode;
      } catch {
        // What somebody else put there is not ours to read.
      }
    }

    keep() {
      const { mode, drafts, sent, sending, editing } = this;
      try {
        sessionStorage.setItem(`hearth.draft.${this.of}`, JSON.stringify({ mode, drafts, sent, sending, editing }));
      } catch {
        // Storage is full or switched off: what is typed is still in the field.
      }
    }

    remember(as, text) {
      const known = this.sent[as];
      if (known[known.length - 1] !== text && text.length < 20000) known.push(text);
      if (known.length > 50) known.shift();
    }
  }

  const rooms = new Map();
  let room = null;
  let escaped = 0;

  function enter(of) {
    if (!rooms.has(of)) rooms.set(of, new Room(of));
    room = rooms.get(of);
  }

  function keep() {
    if (!room || !field()) return;
    room.drafts[room.mode] = field().value;
    room.keep();
  }

  // --- The field --------------------------------------------------------------------------------

  /** Replace a range as if it was typed, so that it can be undone. */
  function type(text, from, to) {
    const at = field();
    at.focus({ preventScroll: true });
    at.setSelectionRange(from ?? at.selectionStart, to ?? at.selectionEnd);
    let done = false;
    try {
      done = text === "" && at.selectionStart !== at.selectionEnd
        ? document.execCommand("delete")
        : document.execCommand("insertText", false, text);
    } catch {
      done = false;
    }
    if (!done) {
      at.setRangeText(text, at.selectionStart, at.selectionEnd, "end");
      changed();
    }
  }

  function fill(text, end = true) {
    const at = field();
    at.value = text;
    const cursor = end ? text.length : 0;
    at.setSelectionRange(cursor, cursor);
    changed();
    reveal();
  }

  function changed() {
    paint();
    keep();
    show();
  }

  function say(words) {
    const at = $("composer-said");
    if (at && at.textContent !== words) at.textContent = words;
  }

  /** Write the other thing. What stands in the field comes along, unless something is begun there. */
  function setMode(next, text) {
    if (!MODES[next] || !field()) return;
    const typed = field().value;
    const { mode, drafts } = room;
    const moves = text ?? (next !== mode && drafts[next] === "" ? typed : drafts[next]);
    if (next !== mode) drafts[mode] = moves === typed ? "" : typed;
    room.mode = next;
    enterMode(moves);
  }

  function enterMode(text) {
    const { mode } = room;
    closeList();
    closeTip();
    recalled = null;
    const radio = $(`mode-${mode}`);
    if (radio) radio.checked = true;
    form().dataset.mode = mode;
    document.body.dataset.mode = mode;
    const at = field();
    at.setAttribute("aria-label", MODES[mode].label);
    at.setAttribute("spellcheck", mode === "ask" ? "true" : "false");
    at.setAttribute("autocapitalize", mode === "ask" ? "sentences" : "off");
    fill(text);
  }

  /** What the state of the session makes of the button and the hint. */
  function show() {
    const at = field();
    if (!at) return;
    const state = now();
    const { mode, editing, inFlight } = room;
    const is = MODES[mode];
    const refused = mode === "code" && state.canRun === "0" ? state.whyRun || "not now" : "";
    const waits = mode === "code" ? state.queuesRun === "1" : state.queuesAsk === "1";
    const button = $("composer-send");
    const words = editing && mode === "ask" ? "Resend" : waits ? is.wait : is.send;
    if (button.textContent !== words) button.textContent = words;
    button.disabled = Boolean(refused) || inFlight || !at.value.trim();
    button.title = refused || (at.value.trim() ? "" : "There is nothing to send yet");
    button.setAttribute("aria-busy", inFlight ? "true" : "false");
    const hint = refused ? `No code now: ${refused}` : is.hint;
    if (at.placeholder !== hint) at.placeholder = hint;
  }

  function reveal() {
    const box = form()?.querySelector(".composer-scroll");
    const caret = caretBox();
    if (!box || !caret) return;
    const edge = box.getBoundingClientRect();
    if (caret.bottom > edge.bottom) box.scrollTop += caret.bottom - edge.bottom + 8;
    else if (caret.top < edge.top) box.scrollTop -= edge.top - caret.top + 8;
  }

  /** Where the cursor is on the screen: the coloured text below the field is the same text. */
  function caretBox() {
    const pre = $("composer-paint");
    const at = field();
    if (!pre || !at) return null;
    let left = at.selectionStart;
    const walk = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      if (left <= node.length) {
        const range = document.createRange();
        range.setStart(node, left);
        range.collapse(true);
        const found = range.getClientRects();
        return found[found.length - 1] || range.getBoundingClientRect();
      }
      left -= node.length;
    }
    return null;
  }

  // --- Colours ----------------------------------------------------------------------------------

  const KEYWORDS = new Set(
    ("False None True and as assert async await break class continue def del elif else except " +
      "finally for from global if import in is lambda nonlocal not or pass raise return try while " +
      "with yield match case type").split(" "),
  );
  const CONSTANTS = new Set(["False", "None", "True"]);
  const SOFT = new Set(["match", "case", "type"]);
  const BUILTINS = new Set(
    ("abs all any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex " +
      "delattr dict dir divmod enumerate eval exec filter float format frozenset getattr globals hasattr " +
      "hash help hex id input int isinstance issubclass iter len list locals map max memoryview min next " +
      "object oct open ord pow print property range repr reversed round set setattr slice sorted " +
      "staticmethod str sum super tuple type vars zip self cls").split(" "),
  );
  // One alternative for each kind; a string that is not closed goes on to the end, as far as it may.
  const TOKEN = new RegExp(
    [
      "(?<comment>#[^\\n]*)",
      "(?<string>(?:[rRbBuUfFtT]{1,2})?(?:'''(?:\\\\[\\s\\S]|(?!''')[^\\\\])*(?:'''|$)" +
        '|"""(?:\\\\[\\s\\S]|(?!""")[^\\\\])*(?:"""|$)' +
        "|'(?:\\\\[\\s\\S]|[^'\\\\\\n])*(?:'|(?=\\n)|$)" +
        '|"(?:\\\\[\\s\\S]|[^"\\\\\\n])*(?:"|(?=\\n)|$)))',
      "(?<number>(?<![\\p{L}_\\d])(?:0[xX][\\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|" +
        "(?:\\d[\\d_]*(?:\\.[\\d_]*)?|\\.\\d[\\d_]*)(?:[eE][+-]?\\d[\\d_]*)?[jJ]?))",
      "(?<decorator>(?<=(?:^|\\n)[ \\t]*)@[\\p{L}_][\\p{L}\\p{N}_.]*)",
      "(?<magic>(?<=(?:^|\\n)[ \\t]*)(?:%%?|!)[^\\n]*)",
      "(?<word>[\\p{L}_][\\p{L}\\p{N}_]*)",
    ].join("|"),
    "gu",
  );

  /** Python as pieces of text with the class of each; all pieces together are the text. */
  function pieces(code) {
    const made = [];
    let end = 0;
    let before = "";
    const add = (text, kind) => {
      const last = made[made.length - 1];
      if (last && last[1] === kind) last[0] += text;
      else if (text) made.push([text, kind]);
    };
    for (const found of code.matchAll(TOKEN)) {
      add(code.slice(end, found.index), "");
      const [text] = found;
      end = found.index + text.length;
      const is = found.groups;
      let kind = "";
      if (is.comment !== undefined) kind = "hc";
      else if (is.string !== undefined) kind = "hs";
      else if (is.number !== undefined) kind = "hn";
      else if (is.decorator !== undefined) kind = "hf";
      else if (is.magic !== undefined) kind = "hk";
      else if (code[found.index - 1] === ".") kind = "";
      else if (CONSTANTS.has(text)) kind = "hn";
      else if (before === "def" || before === "class") kind = "hf";
      else if (KEYWORDS.has(text) && (!SOFT.has(text) || isSoft(code, found.index, end))) kind = "hk";
      else if (BUILTINS.has(text)) kind = "hb";
      before = is.word !== undefined ? text : "";
      add(text, kind);
    }
    add(code.slice(end), "");
    return made;
  }

  /** `match`, `case` and `type` are words like others, but where a statement begins. */
  function isSoft(code, from, to) {
    const line = code.slice(code.lastIndexOf("\n", from - 1) + 1, from);
    return line.trim() === "" && /^[ \t]+[^\s=.,:)\]]/.test(code.slice(to, to + 40));
  }

  function paint() {
    const pre = $("composer-paint");
    const at = field();
    if (!pre || !at) return;
    const text = at.value;
    const plain = room.mode === "ask" || text.length > MOST_COLOURED || (now().language || "python") !== "python";
    form().dataset.plain = plain ? "1" : "0";
    const next = plain ? [[text, ""]] : pieces(text);
    next.push(["\n\u200b", ""]); // the line that an ending line break begins is there already
    // Only what is other than before is made anew: the same pieces at both ends stay.
    const same = (one, other) => one[0] === other[0] && one[1] === other[1];
    const most = pre.childNodes.length === drawn.length ? Math.min(drawn.length, next.length) : 0;
    let head = 0;
    while (head < most && same(drawn[head], next[head])) head += 1;
    let tail = 0;
    while (tail < most - head && same(drawn[drawn.length - 1 - tail], next[next.length - 1 - tail])) tail += 1;
    if (!most) pre.replaceChildren();
    const before = pre.childNodes[most ? drawn.length - tail : 0] || null;
    for (let gone = (most ? drawn.length : 0) - head - tail; gone > 0; gone -= 1) pre.childNodes[head].remove();
    const made = document.createDocumentFragment();
    for (const [words, kind] of next.slice(head, next.length - tail)) made.append(drawnAs(words, kind));
    pre.insertBefore(made, before);
    drawn = next;
  }

  let drawn = [];

  function drawnAs(words, kind) {
    if (!kind) return document.createTextNode(words);
    const one = document.createElement("span");
    one.className = kind;
    one.textContent = words;
    return one;
  }

  // --- Lines ------------------------------------------------------------------------------------

  /** The line up to its comment, as far as one line can tell. */
  function withoutComment(line) {
    let quote = "";
    for (let i = 0; i < line.length; i += 1) {
      const one = line[i];
      if (quote) quote = one === quote ? "" : quote;
      else if (one === "'" || one === '"') quote = one;
      else if (one === "#") return line.slice(0, i);
    }
    return line;
  }

  function nextIndent(before) {
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const own = /^[ \t]*/.exec(line)[0];
    const bare = withoutComment(line).trimEnd();
    if (!bare) return own;
    if (/[:([{]$/.test(bare)) return own + INDENT;
    if (/^\s*(?:return|pass|raise|break|continue)\b/.test(bare)) {
      return own.endsWith(INDENT) ? own.slice(0, -INDENT.length) : own;
    }
    return own;
  }

  function newline() {
    const at = field();
    type(`\n${nextIndent(at.value.slice(0, at.selectionStart))}`);
    reveal();
  }

  function shiftLines(outwards) {
    const at = field();
    const { selectionStart: from, selectionEnd: to, value } = at;
    const begin = value.lastIndexOf("\n", from - 1) + 1;
    const lines = value.slice(begin, to).split("\n");
    const shifted = lines.map((line) => (outwards ? line.replace(/^ {1,4}|^\t/, "") : INDENT + line));
    const text = shifted.join("\n");
    if (text === lines.join("\n")) return;
    type(text, begin, to);
    const first = from + shifted[0].length - lines[0].length;
    if (from === to) at.setSelectionRange(Math.max(begin, first), Math.max(begin, first));
    else at.setSelectionRange(Math.max(begin, first), begin + text.length);
  }

  /** Backspace among blanks at the beginning of a line takes a whole step. */
  function unindent() {
    const at = field();
    const from = at.selectionStart;
    if (from !== at.selectionEnd) return false;
    const line = at.value.slice(at.value.lastIndexOf("\n", from - 1) + 1, from);
    if (!/^ {2,}$/.test(line)) return false;
    type("", from - (line.length % 4 || 4), from);
    return true;
  }

  // --- What the session knows about code ----------------------------------------------------------

  const CALLED = new Set(["function", "method", "class"]);
  let options = []; // what is proposed
  let all = []; // what the session answered
  let active = 0;
  let asked = 0;
  let stem = "";

  const points = (text) => [...text].length; // the session counts code points, strings do not
  const wordBefore = (text) => /[\p{L}\p{N}_]*$/u.exec(text)[0];
  const fits = (label, word) => label.toLowerCase().startsWith(word.toLowerCase());

  /** How many characters before the cursor a label stands for. */
  function replaced(label, before) {
    const word = wordBefore(before);
    if (fits(label, word) && (word || /^[\p{L}\p{N}_]/u.test(label))) return word.length;
    const line = before.slice(before.lastIndexOf("\n") + 1);
    for (let length = Math.min(label.length, line.length); length > 0; length -= 1) {
      if (label.toLowerCase().startsWith(line.slice(-length).toLowerCase())) return length;
    }
    return word.length;
  }

  async function answered(command, wanted) {
    try {
      const answer = await hearth.send(session(), command, { wait: true });
      if (!answer.ok) return { why: told(answer) };
      const events = (answer.body?.envelopes || []).map((one) => one.event);
      return { event: events.find((one) => one?.type === wanted) };
    } catch {
      return { why: "the daemon is away" };
    }
  }

  async function complete() {
    const at = field();
    if (now().canComplete === "0") {
      say("Completions need an interpreter.");
      return;
    }
    const { value, selectionStart: cursor } = at;
    const mine = ++asked;
    say("Looking …");
    const { event, why } = await answered(
      { type: "complete_code", code: value, cursor: points(value.slice(0, cursor)) },
      "completions_returned",
    );
    if (mine !== asked || at.value !== value || at.selectionStart !== cursor) return;
    all = event?.items || [];
    const before = value.slice(0, cursor);
    stem = before.slice(0, before.length - wordBefore(before).length);
    say(why ? `No completions: ${why}` : all.length ? "" : "Nothing is known that could stand here.");
    if (all.length === 1) accept(all[0]);
    else offer(all);
  }

  function narrow() {
    const at = field();
    const before = at.value.slice(0, at.selectionStart);
    const word = wordBefore(before);
    if (before.slice(0, before.length - word.length) !== stem) return closeList();
    return offer(all.filter((one) => fits(one.label, word)));
  }

  function offer(found) {
    const list = $("composer-list");
    options = found.slice(0, MOST_LISTED);
    active = 0;
    if (!options.length) return closeList();
    closeTip();
    list.replaceChildren(...options.map(option));
    if (found.length > options.length) {
      const more = document.createElement("div");
      more.className = "composer-more muted";
      more.setAttribute("aria-hidden", "true"); // how many there are is said below
      more.textContent = `and ${found.length - options.length} more: type on`;
      list.append(more);
    }
    list.hidden = false;
    beside(list);
    mark();
    say(`${found.length} completions: arrow keys choose, Tab takes one, Escape closes.`);
    return undefined;
  }

  function option(one, number) {
    const made = document.createElement("div");
    made.id = `composer-option-${number}`;
    made.className = "composer-option";
    made.setAttribute("role", "option");
    made.dataset.number = String(number);
    let detail = String(one.detail || "").replace(/\s+/g, " ");
    if (CALLED.has(one.kind)) detail = detail.includes("(") ? detail.slice(detail.indexOf("(")) : "";
    for (const [kind, words] of [
      ["label mono", one.label],
      ["kind muted", one.kind === "other" ? "" : one.kind],
      ["detail muted mono", detail.slice(0, 60)],
    ]) {
      const part = document.createElement("span");
      part.className = kind;
      part.textContent = words;
      made.append(part);
    }
    return made;
  }

  function mark() {
    for (const [number, one] of [...$("composer-list").querySelectorAll("[role=option]")].entries()) {
      one.setAttribute("aria-selected", number === active ? "true" : "false");
      if (number === active) one.scrollIntoView({ block: "nearest" });
    }
    field().setAttribute("aria-activedescendant", `composer-option-${active}`);
  }

  function accept(one) {
    const at = field();
    const cursor = at.selectionStart;
    const length = replaced(one.label, at.value.slice(0, cursor));
    closeList();
    type(one.label, cursor - length, at.selectionEnd);
    say("");
  }

  function closeList() {
    const list = $("composer-list");
    asked += 1;
    if (!list || list.hidden) return false;
    list.hidden = true;
    list.replaceChildren();
    options = [];
    field()?.removeAttribute("aria-activedescendant");
    say("");
    return true;
  }

  /** Put something above the cursor, within the editor. */
  function beside(box) {
    const editor = form().querySelector(".composer-editor");
    const caret = caretBox();
    const edge = editor.getBoundingClientRect();
    const left = caret ? caret.left - edge.left - 12 : 0;
    const top = caret ? Math.max(0, caret.top - edge.top) : 0;
    box.style.left = `${Math.max(0, Math.min(left, edge.width - box.offsetWidth))}px`;
    box.style.bottom = `${edge.height - top + 4}px`;
  }

  // --- Signatures ---------------------------------------------------------------------------------

  let tipFor = "";
  let tipTimer = 0;
  const PAIRS = { ")": "(", "]": "[", "}": "{" };

  /** The text up to the bracket of the innermost call that the cursor is in; empty if in none. */
  function openCall(before) {
    const open = [];
    let quote = "";
    for (let i = 0; i < before.length; i += 1) {
      const one = before[i];
      if (quote) {
        if ((one === quote && before[i - 1] !== "\\") || one === "\n") quote = "";
      } else if (one === "'" || one === '"') quote = one;
      else if (one === "#") {
        while (i < before.length && before[i] !== "\n") i += 1;
      } else if ("([{".includes(one)) open.push(i);
      else if (PAIRS[one] && open.length && before[open[open.length - 1]] === PAIRS[one]) open.pop();
    }
    const last = open[open.length - 1];
    const isCall = last > 0 && before[last] === "(" && /[\p{L}\p{N}_)\]]/u.test(before[last - 1]);
    return isCall ? before.slice(0, last) : "";
  }

  function hint() {
    const at = field();
    const call = room.mode === "code" ? openCall(at.value.slice(0, at.selectionStart)) : "";
    if (call === tipFor) return;
    tipFor = call;
    clearTimeout(tipTimer);
    hideTip();
    if (call && now().canInspect === "1") tipTimer = setTimeout(() => inspect(call, call.length), PAUSE);
  }

  async function inspect(code, cursor) {
    const before = tipFor;
    const { event, why } = await answered(
      { type: "inspect_code", code, cursor: points(code.slice(0, cursor)) },
      "inspection_returned",
    );
    if (before !== tipFor || !$("composer-list").hidden) return;
    const found = event?.inspection;
    if (!found?.found) {
      if (before === "\0") say(why ? `Nothing to tell: ${why}` : "Nothing is known about this.");
      return;
    }
    const tip = $("composer-tip");
    const rows = [
      ["tip-signature mono", found.signature || `${found.name}: ${found.value_type || found.kind}`],
      ["tip-value mono muted", found.signature ? "" : found.value],
      ["tip-doc", String(found.doc || "").trim().split("\n\n")[0].slice(0, 400)],
    ];
    tip.replaceChildren(
      ...rows
        .filter(([, words]) => words)
        .map(([kind, words]) => {
          const row = document.createElement("div");
          row.className = kind;
          row.textContent = String(words).slice(0, 600);
          return row;
        }),
    );
    tip.hidden = false;
    beside(tip);
  }

  function inspectHere() {
    const at = field();
    tipFor = "\0";
    inspect(at.value, at.selectionStart);
  }

  function hideTip() {
    const tip = $("composer-tip");
    if (!tip || tip.hidden) return false;
    tip.hidden = true;
    tip.replaceChildren();
    return true;
  }

  function closeTip() {
    clearTimeout(tipTimer);
    const at = field();
    tipFor = at ? openCall(at.value.slice(0, at.selectionStart)) : "";
    return hideTip();
  }

  // --- What was written before ----------------------------------------------------------------------

  let recalled = null; // {list, at, draft}

  function written() {
    const here = room.sent[room.mode];
    if (room.mode === "ask") return here;
    const cells = document.querySelectorAll("#timeline .item-cell > pre.code");
    const shown = [...cells]
      .filter((one) => !one.nextElementSibling?.classList.contains("note")) // only a part of it
      .slice(-100)
      .map((one) => one.textContent.replace(/\n$/, ""));
    const known = new Set(shown);
    return [...shown, ...here.filter((one) => !known.has(one))];
  }

  function recall(step) {
    if (!recalled) {
      const list = written();
      recalled = { list, at: list.length, draft: field().value };
    }
    const at = recalled.at + step;
    if (at < 0 || at > recalled.list.length) {
      say(at < 0 ? "There is nothing before this." : "");
      return;
    }
    const held = recalled;
    held.at = at;
    fill(at === held.list.length ? held.draft : held.list[at]);
    recalled = held;
    const left = held.list.length - at;
    say(left ? `${left} back; Ctrl ↓ comes forward.` : "");
  }

  // --- Saying it otherwise --------------------------------------------------------------------------

  /** The text of what was said last, with the block that says it. */
  async function lastPrompt() {
    const block = now().prompt;
    const answer = await hearth.fetch(`/sessions/${encodeURIComponent(session())}/views/conversation`);
    if (!answer.ok) throw new Error("it cannot be read now");
    const rows = (await answer.json()).value?.rows || [];
    const row = rows.find((one) => one.block === block);
    const text = row?.content?.text;
    if (typeof text === "string") return { block, text };
    if (typeof text?.sha256 !== "string") throw new Error("it is not here any more");
    const whole = await hearth.fetch(`/blobs/${text.sha256}`);
    if (!whole.ok) throw new Error("it cannot be read now");
    return { block, text: await whole.text() };
  }

  async function edit() {
    const state = now();
    if (!state.prompt || state.whyEdit) {
      say(`Not now: ${state.whyEdit || "nothing has been said yet"}.`);
      return;
    }
    try {
      const of = room;
      const found = await lastPrompt();
      if (of !== room || room.mode !== "ask" || field().value !== "") return;
      room.editing = { block: found.block };
      fill(found.text);
      say("You say again what you said last; what came after it stays on its own branch. Escape: no.");
    } catch (problem) {
      say(`It cannot be edited: ${problem.message}.`);
    }
  }

  /** Say a block otherwise, and have that answered. Gives what was refused, or nothing. */
  async function resend(of, block, text, key) {
    const command = { type: "edit_message", block, text };
    const edited = await hearth.send(of, command, { wait: true, key });
    if (!edited.ok && edited.body?.error?.code !== "duplicate_command") return edited;
    const failed = (edited.body?.envelopes || []).find((one) => one.event?.type === "lookup_failed");
    if (failed) return { ok: false, status: 409, body: { error: { message: failed.event.why } } };
    return hearth.send(of, { type: "regenerate_turn" }, { key: `${key}-r` });
  }

  /** For a form that shows what was said: `data-block`, and a field `text`. */
  hearth.local.resend = async (el) => {
    const text = el.elements?.text?.value ?? "";
    if (!text.trim()) return;
    const button = el.querySelector("[type=submit]");
    if (button) button.disabled = true;
    try {
      const answer = await resend(el.dataset.session || session(), el.dataset.block, text, key());
      if (answer.ok) el.closest("details")?.removeAttribute("open");
      else hearth.toast("bad", told(answer));
    } catch {
      hearth.toast("bad", "The daemon is away. What you wrote is still there.");
    } finally {
      if (button) button.disabled = false;
    }
  };

  // --- Sending --------------------------------------------------------------------------------------

  function key() {
    if (crypto.randomUUID) return crypto.randomUUID();
    return [...crypto.getRandomValues(new Uint8Array(16))].map((one) => one.toString(16)).join("");
  }

  /** A refusal as people read it: the reason, and what helps. */
  function told(answer) {
    const error = answer.body?.error || {};
    const why = error.message || `The answer was ${answer.status || "nothing"}.`;
    return error.hint ? `${why}\n${error.hint}` : why;
  }

  async function compose() {
    const at = field();
    if (!at || room.inFlight) return;
    const text = at.value;
    if (!text.trim()) return;
    const state = now();
    const of = room; // whatever is looked at when the answer comes
    const as = of.mode;
    if (as === "code" && state.canRun === "0") {
      hearth.toast("bad", `This cannot run now: ${state.whyRun || "there is no interpreter"}.`);
      return;
    }
    const block = (as === "ask" && of.editing?.block) || "";
    const last = of.sending;
    if (!last || last.mode !== as || last.text !== text || last.block !== block) {
      of.sending = { mode: as, text, block, key: key() };
    }
    const waits = as === "code" ? state.queuesRun === "1" : state.queuesAsk === "1";
    of.inFlight = true;
    closeList();
    closeTip();
    keep();
    show();
    let answer;
    try {
      answer = block
        ? await resend(of.of, block, text, of.sending.key)
        : await hearth.send(of.of, words(as, text), { key: of.sending.key });
    } catch {
      answer = null;
    }
    of.inFlight = false;
    const isTaken = answer && (answer.ok || answer.body?.error?.code === "duplicate_command");
    if (isTaken) taken(of, as, text, waits);
    else if (!answer || !answer.status) gone();
    else {
      of.sending = null; // refused: it was not done, and would be another command
      hearth.toast("bad", told(answer));
    }
    of.keep();
    show();
  }

  function words(as, text) {
    if (as === "code") return { type: "run_cell", code: text.trimEnd(), may_ask: true, if_busy: "queue" };
    return { type: "send_message", text: text.trim(), if_busy: "queue" };
  }

  function gone() {
    hearth.toast("bad", "The daemon is away: this was not sent, or nobody knows. What you wrote is still here; send it again, it is done once.");
  }

  function taken(of, as, text, waits) {
    of.sending = null;
    if (as === "ask") of.editing = null;
    of.remember(as, text);
    const isHere = of === room && as === of.mode;
    const typed = isHere ? field().value : of.drafts[as];
    // What was typed meanwhile stays.
    const left = typed.startsWith(text) ? typed.slice(text.length) : typed;
    if (isHere) {
      recalled = null;
      fill(left);
    } else of.drafts[as] = left;
    if (of !== room) return;
    say(waits ? (as === "code" ? "It waits for its turn." : "It waits for the agent’s next step.") : "");
    const latest = $("latest");
    if (latest && !latest.hidden) latest.click();
  }

  async function stop() {
    const state = now();
    const { mode } = room;
    const command =
      mode === "ask" && state.turn
        ? { type: "cancel_turn", turn: state.turn }
        : mode === "code" && state.cell
          ? { type: "cancel_cell", cell: state.cell }
          : null;
    if (!command) return;
    say("Stopping …");
    try {
      const answer = await hearth.send(session(), command, {});
      say("");
      if (!answer.ok) hearth.toast("bad", told(answer));
    } catch {
      say("");
      hearth.toast("bad", "The daemon is away: nothing was stopped.");
    }
  }

  // --- Keys -----------------------------------------------------------------------------------------

  function escape() {
    if (closeList() || closeTip()) return;
    const { mode } = room;
    if (mode === "ask" && room.editing) {
      room.editing = null;
      fill("");
      say("It stays as it was.");
      return;
    }
    const state = now();
    const runs = mode === "ask" ? state.turn : state.cell;
    if (runs && Date.now() - escaped < AGAIN) {
      escaped = 0;
      stop();
    } else if (runs) {
      escaped = Date.now();
      say(mode === "ask" ? "Escape again stops the agent." : `Escape again stops ${runs}.`);
    } else {
      field().blur(); // from here Tab goes on, and single keys are commands
    }
  }

  function inList(evt) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[evt.key];
    if (step) {
      const next = active + step;
      const many = Math.abs(step) > 1;
      active = many
        ? Math.max(0, Math.min(options.length - 1, next))
        : (next + options.length) % options.length;
      mark();
      return true;
    }
    if ((evt.key === "Enter" || evt.key === "Tab") && !evt.shiftKey && !evt.ctrlKey) {
      accept(options[active]);
      return true;
    }
    return false;
  }

  function inCode(evt) {
    const at = field();
    const isPlain = !evt.ctrlKey && !evt.metaKey && !evt.altKey;
    if (evt.key === "Enter" && (evt.shiftKey || evt.ctrlKey || evt.metaKey)) return compose(), true;
    if (evt.key === "Enter" && isPlain) return newline(), true;
    if (evt.key === "Tab" && isPlain) {
      const before = at.value.slice(at.value.lastIndexOf("\n", at.selectionStart - 1) + 1, at.selectionStart);
      if (evt.shiftKey) shiftLines(true);
      else if (at.selectionStart !== at.selectionEnd && at.value.slice(at.selectionStart, at.selectionEnd).includes("\n")) shiftLines(false);
      else if (!before.trim() && at.value) type(INDENT);
      else if (!at.value) return false; // an empty field is left with Tab
      else complete();
      return true;
    }
    if (evt.key === " " && evt.ctrlKey && evt.shiftKey) return inspectHere(), true;
    if (evt.key === " " && evt.ctrlKey) return complete(), true;
    if (evt.key === "Backspace" && isPlain && !evt.shiftKey) return unindent();
    return false;
  }

  function inAsk(evt) {
    if (evt.key === "Enter" && !evt.shiftKey && !evt.altKey) return compose(), true;
    if (evt.key === "ArrowUp" && !evt.ctrlKey && !evt.altKey && !evt.shiftKey && field().value === "") {
      return edit(), true;
    }
    return false;
  }

  function pressed(evt) {
    if (evt.isComposing || evt.keyCode === 229) return;
    const isToggle = evt.key === "/" && (evt.ctrlKey || evt.metaKey) && form();
    if (isToggle) {
      evt.preventDefault();
      setMode(room.mode === "code" ? "ask" : "code");
      field().focus();
      return;
    }
    if (evt.altKey && !evt.ctrlKey && !evt.metaKey && form() && (evt.code === "KeyC" || evt.code === "KeyA")) {
      evt.preventDefault();
      setMode(evt.code === "KeyC" ? "code" : "ask");
      field().focus();
      return;
    }
    if (evt.target !== field()) return;
    if (evt.key !== "Escape") escaped = 0;
    let done = false;
    if (!$("composer-list").hidden && options.length) done = inList(evt);
    if (!done && evt.key === "Escape") {
      escape();
      done = true;
    }
    if (!done && evt.ctrlKey && !evt.shiftKey && (evt.key === "ArrowUp" || evt.key === "ArrowDown")) {
      recall(evt.key === "ArrowUp" ? -1 : 1);
      done = true;
    }
    if (!done) done = room.mode === "code" ? inCode(evt) : inAsk(evt);
    if (done) {
      evt.preventDefault();
      evt.stopPropagation();
    }
  }

  let isSigned = false;

  function typed() {
    recalled = null;
    const at = field();
    const speaks = room.mode === "code" ? /^\s*>(?!>) ?/.exec(at.value) : null;
    if (speaks) {
      const rest = at.value.slice(speaks[0].length);
      at.value = "";
      const begun = room.drafts.ask;
      setMode("ask", begun && rest ? `${begun}\n${rest}` : rest || begun);
      say("This goes to the agent.");
      isSigned = true;
      return;
    }
    if (isSigned && at.value === " ") at.value = ""; // the blank of "> "
    isSigned = false;
    changed();
    if (!$("composer-list").hidden) narrow();
    else asked += 1;
    hint();
    if (at.value) say("");
  }

  // --- For others -----------------------------------------------------------------------------------

  hearth.local.compose = () => compose();

  /** Put `data-put` where the cursor is. */
  hearth.local.insert = (el) => {
    if (!field()) return;
    type(el.dataset.put ?? "");
    reveal();
  };

  async function copied(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without the right to it, as people do it by hand.
      const held = document.createElement("textarea");
      held.value = text;
      held.className = "sr";
      (document.querySelector("dialog[open]") || document.body).append(held);
      held.select();
      const done = document.execCommand("copy");
      held.remove();
      if (!done) {
        hearth.toast("bad", "The browser did not let it be copied.");
        return;
      }
    }
    hearth.toast("info", "Copied.");
  }

  /** Copy the text of the element whose id is `data-of`. */
  hearth.local.copy = (el) => {
    const found = $(el.dataset.of || "");
    if (found) copied(found.innerText ?? found.textContent);
  };

  hearth.local.copyConversation = async () => {
    try {
      const answer = await hearth.fetch(`/dashboard/s/${encodeURIComponent(session())}/text`);
      if (!answer.ok) throw new Error(`the answer was ${answer.status}`);
      await copied(await answer.text());
    } catch (problem) {
      hearth.toast("bad", `It could not be copied: ${problem.message || "the daemon is away"}.`);
    }
  };

  hearth.composer = {
    setMode,
    focus(next) {
      if (!field()) return;
      if (next) setMode(next);
      field().focus();
    },
    pieces,
    openCall,
    nextIndent,
  };

  // --- The beginning --------------------------------------------------------------------------------

  document.addEventListener("keydown", pressed);
  document.addEventListener("input", (evt) => {
    if (evt.target === field()) typed();
  });
  document.addEventListener("change", (evt) => {
    if (evt.target?.name === "mode" && evt.target.form === form()) {
      setMode(evt.target.value);
      field().focus();
    }
  });
  document.addEventListener("pointerdown", (evt) => {
    const chosen = evt.target.closest?.(".composer-option");
    if (chosen) {
      evt.preventDefault(); // the field keeps the focus
      accept(options[Number(chosen.dataset.number)]);
    } else if (evt.target !== field() && !evt.target.closest?.("#composer-list")) {
      closeList();
      closeTip();
    }
  });
  document.addEventListener("focusout", (evt) => {
    if (evt.target === field()) closeList();
  });
  window.addEventListener("pagehide", () => {
    keep();
  });

  function begin() {
    if (!field()) return;
    const early = field().value; // typed before this ran, or kept by the browser
    enter(session());
    const kept = room.drafts[room.mode];
    enterMode(early && early !== kept ? early : kept);
    const wide = matchMedia("(min-width: 900px)").matches && !matchMedia("(pointer: coarse)").matches;
    const free = !document.activeElement || document.activeElement === document.body;
    if (wide && free && !location.hash) field().focus({ preventScroll: true });
  }

  // The page shows another session: each has its own words, and its own answers on their way.
  hearth.on?.("leaving", keep);
  hearth.on?.("switched", () => {
    if (!field()) return;
    keep();
    enter(session());
    form().dataset.session = session();
    enterMode(room.drafts[room.mode]);
    say("");
  });
  hearth.on?.("patched", () => {
    if (room) show();
  });
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();

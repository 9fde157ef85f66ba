// The window on a session's timeline: follows the newest item, or stays where somebody reads.
// It never holds more than a few hundred items; what it lets go can be read again.
(() => {
  "use strict";
  const hearth = window.hearth;
  const scroll = document.getElementById("scroll");
  const said = Number(document.body.dataset.window || 200);
  const LIMIT = Number.isFinite(said) && said > 0 ? said : Infinity;
  const READING = 2 * LIMIT; // while somebody reads further up
  const NEAR = 48; // pixels from the end that count as the end

  let following = true;
  let detached = false; // the newest items are not here
  let fresh = 0; // so many came since, and are not looked at
  let older = false;
  let loading = null;
  let wanted = null; // what the next whole view is for: null, "latest"
  let shown = hearth.session;
  let touched = false;

  const timeline = () => document.getElementById("timeline");
  const items = () => { const all = timeline(); return all ? all.children : []; };
  const first = () => items()[0] || null;
  const last = () => { const all = items(); return all[all.length - 1] || null; };
  const place = (item) => item && item.dataset.order;

  const atEnd = () => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight <= NEAR;
  const toEnd = () => { scroll.scrollTop = scroll.scrollHeight; };

  // -- marks -----------------------------------------------------------------------------------------

  const marks = () => {
    const latest = document.getElementById("latest");
    if (latest) {
      latest.hidden = following && !detached;
      const words = document.getElementById("latest-words");
      if (words) words.textContent = fresh ? `${fresh} new` : "Latest";
    }
    let more = document.getElementById("older");
    if (!older) { if (more) more.remove(); return; }
    const all = timeline();
    if (!more && all) {
      more = document.createElement("button");
      more.id = "older";
      more.type = "button";
      more.className = "btn btn-quiet older";
      more.textContent = "Earlier items are not shown. Read them";
      more.addEventListener("click", () => { following = false; readOlder(); });
      all.before(more);
    }
  };

  // Whatever is put in or taken out above, what somebody looks at stays where it is.
  const anchored = (change) => {
    const top = scroll.getBoundingClientRect().top;
    let anchor = null;
    for (const item of items()) {
      if (item.getBoundingClientRect().bottom > top) { anchor = item; break; }
    }
    const before = anchor ? anchor.getBoundingClientRect().top : 0;
    scroll.classList.add("unanchored");
    change();
    if (anchor && anchor.isConnected) scroll.scrollTop += anchor.getBoundingClientRect().top - before;
    requestAnimationFrame(() => scroll.classList.remove("unanchored"));
  };

  const evictOldest = (most) => {
    let over = items().length - most;
    if (over <= 0) return;
    older = true;
    while (over > 0) {
      const one = first();
      // What is still going on stays, so that it can be stopped.
      if (!one || one.dataset.order.split(".")[1].length > 15) break;
      one.remove();
      over -= 1;
    }
  };

  const evictNewest = (most) => {
    while (items().length > most) { last().remove(); detached = true; }
  };

  // -- reading further -----------------------------------------------------------------------------------

  const page = async (query) => {
    const path = `/dashboard/s/${encodeURIComponent(shown)}/items?${new URLSearchParams(query)}`;
    const response = await hearth.fetch(path);
    if (!response.ok) return null;
    const holder = document.createElement("template");
    holder.innerHTML = await response.text();
    const found = holder.content.querySelector("#page");
    if (!found) return null;
    // What is here already is not put in twice.
    for (const one of Array.from(found.children)) if (document.getElementById(one.id)) one.remove();
    return found;
  };

  const once = (read) => {
    if (loading) return loading;
    loading = read().catch((error) => console.error(error)).finally(() => { loading = null; marks(); });
    return loading;
  };

  const readOlder = () => once(async () => {
    const from = place(first());
    if (!older || !from) return;
    const found = await page({ before: from });
    if (!found) return;
    older = Boolean(found.dataset.older);
    if (!found.children.length) { older = false; return; }
    anchored(() => {
      hearth.apply({ selector: "#timeline", mode: "prepend", elements: found.innerHTML });
      evictNewest(READING);
    });
    hearth.tell("patched");
  });

  const readNewer = () => once(async () => {
    const from = place(last());
    if (!detached || !from) return;
    const found = await page({ after: from });
    if (!found) return;
    if (found.children.length) {
      anchored(() => {
        hearth.apply({ selector: "#timeline", mode: "append", elements: found.innerHTML });
        if (items().length > READING) evictOldest(READING);
      });
    }
    // All that is stored is here: what comes now follows it.
    if (!found.dataset.newer) { detached = false; again(); }
    hearth.tell("patched");
  });

  const again = () => hearth.again && hearth.again();

  const latest = () => {
    following = true;
    fresh = 0;
    if (detached) { wanted = "latest"; again(); } else toEnd();
    marks();
  };
  hearth.local.latest = latest;

  const jump = (version) => once(async () => {
    const found = await page({ at: version });
    if (!found || !found.children.length) { hearth.toast("bad", "this place cannot be found any more"); return; }
    following = false;
    detached = true;
    older = Boolean(found.dataset.older);
    hearth.apply({ selector: "#timeline", mode: "inner", elements: found.innerHTML });
    let target = null;
    for (const item of items()) if (Number(item.dataset.order.split(".")[1]) <= version) target = item;
    if (target) {
      target.scrollIntoView({ block: "center" });
      target.classList.add("sought");
      target.setAttribute("tabindex", "-1");
      target.focus({ preventScroll: true });
    }
    hearth.tell("patched");
  });

  // -- what comes ------------------------------------------------------------------------------------------

  const ID = /^\s*<[a-z0-9]+ id="([^"]+)"/;

  const merge = (markup) => {
    const holder = document.createElement("template");
    holder.innerHTML = markup;
    const whole = holder.content.querySelector("#timeline");
    const rest = Array.from(holder.content.children).filter((one) => one !== whole);
    for (const one of rest) hearth.apply({ elements: one.outerHTML });
    const here = new Set(Array.from(items(), (one) => one.id));
    const there = Array.from(whole.children);
    const common = there.find((one) => here.has(one.id));
    if (!common) { detached = true; fresh += there.length; return; }
    const known = new Set(there.map((one) => one.id));
    let behind = false;
    for (const one of Array.from(items())) {
      if (one.id === common.id) behind = true;
      if (behind && !known.has(one.id)) one.remove();
    }
    let before = null;
    for (const one of there) {
      if (document.getElementById(one.id)) hearth.apply({ elements: one.outerHTML });
      else if (before) { hearth.apply({ selector: `#${before}`, mode: "after", elements: one.outerHTML }); fresh += 1; }
      before = one.id;
    }
  };

  const view = (args) => {
    const other = shown !== hearth.session;
    if (following || other || wanted === "latest") {
      hearth.apply(args);
      const all = timeline();
      older = Boolean(all && all.dataset.more);
      detached = false;
      following = true;
      fresh = 0;
      wanted = null;
      shown = hearth.session;
      toEnd();
    } else merge(args.elements);
    marks();
  };

  // True: it is done, or is not for what is shown here.
  const take = (args) => {
    const { elements = "", selector = "", mode = "outer" } = args;
    if (!selector && elements.includes('id="timeline"') && ID.test(elements)) { view(args); return true; }
    if (selector === "#timeline" && mode === "append") {
      const id = ID.exec(elements);
      if (id && document.getElementById(id[1])) { hearth.apply({ elements }); return true; }
      if (detached || (!following && items().length >= READING)) {
        detached = true;
        fresh += 1;
        return true;
      }
      if (!following) fresh += 1;
      touched = true;
      return false;
    }
    if (selector && !document.querySelector(selector)) return true;
    if (!selector && mode === "outer") {
      const id = ID.exec(elements);
      if (id && !document.getElementById(id[1])) return true;
    }
    if (selector.startsWith("#i-") || elements.includes('id="i-')) touched = true;
    return false;
  };

  hearth.on("patched", () => {
    if (!timeline()) return;
    if (following && !detached) {
      if (items().length > LIMIT) evictOldest(LIMIT);
      if (touched) toEnd();
      // What does not fill the page could not be scrolled to what came before it.
      if (older && scroll.scrollHeight <= scroll.clientHeight) readOlder();
    }
    touched = false;
    marks();
  });

  // -- scrolling -----------------------------------------------------------------------------------------------

  if (scroll && timeline()) {
    hearth.timeline = { take, latest, jump, readOlder, readNewer, get following() { return following; }, get detached() { return detached; } };
    older = Boolean(timeline().dataset.more);
    toEnd();
    marks();
    let top = scroll.scrollTop;
    scroll.addEventListener("scroll", () => {
      const end = atEnd();
      // What grew below is no wish to leave the end; going up is.
      const up = scroll.scrollTop < top - 1;
      top = scroll.scrollTop;
      if (end && detached) readNewer();
      else if (end && !following) {
        following = true;
        fresh = 0;
        if (items().length > LIMIT) { evictOldest(LIMIT); toEnd(); }
        marks();
      } else if (!end && up && following) {
        following = false;
        marks();
      }
      if (!following && older && scroll.scrollTop < 2 * scroll.clientHeight) readOlder();
    }, { passive: true });
    new ResizeObserver(() => { if (following && !detached) toEnd(); }).observe(timeline());
    const at = new URLSearchParams(location.search).get("at");
    if (at && /^\d{1,15}$/.test(at)) {
      following = false;
      detached = true;
      jump(Number(at));
    }
  }
})();

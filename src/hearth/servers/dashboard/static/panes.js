// What a tab shows: another session in the same page, and the panel beside it.
(() => {
  "use strict";
  const hearth = window.hearth;
  const body = document.body;
  const USUAL = "variables";

  // -- another session, without loading the page anew ----------------------------------------------

  const PLACE = /^\/dashboard\/s\/([A-Za-z0-9_-]{1,64})$/;

  const meant = (address) => {
    const match = PLACE.exec(address.pathname);
    return match && !address.search && address.origin === location.origin ? match[1] : null;
  };

  const change = async (session, { remember }) => {
    const address = `/dashboard/s/${session}`;
    hearth.tell("leaving", { session: hearth.session });
    let done = false;
    try {
      const path = `/dashboard/session/switch/${session}`;
      // The session travels with the question: no cookie and no other tab knows which one this shows.
      const json = { tab: hearth.tab, activeSession: hearth.session };
      done = (await hearth.fetch(path, { method: "POST", json })).ok;
    } catch {
      done = false;
    }
    if (!done) { location.assign(address); return; }
    if (remember) history.pushState({}, "", address);
    hearth.show(session);
    hearth.tell("switched", { session });
  };

  const here = () => Boolean(document.getElementById("timeline"));

  document.addEventListener("click", (evt) => {
    if (evt.defaultPrevented || evt.button || evt.metaKey || evt.ctrlKey || evt.shiftKey || evt.altKey) return;
    const link = evt.target.closest && evt.target.closest("a[href]");
    if (!link || link.target || !here()) return;
    const session = meant(new URL(link.href));
    if (!session) return;
    evt.preventDefault();
    delete body.dataset.drawer;
    if (session === hearth.session) { if (hearth.timeline) hearth.timeline.latest(); return; }
    change(session, { remember: true });
  });

  addEventListener("popstate", () => {
    const session = meant(location);
    if (session && here()) { if (session !== hearth.session) change(session, { remember: false }); } else location.reload();
  });

  // -- the panel --------------------------------------------------------------------------------------

  const narrow = () => matchMedia("(max-width: 899px)").matches;
  const panel = () => document.getElementById("panel");
  let last = USUAL;

  hearth.panel = async (name) => {
    try {
      const json = { tab: hearth.tab, session: hearth.session, panel: name };
      const answer = await hearth.fetch("/dashboard/panel", { method: "POST", json });
      if (!answer.ok) hearth.toast("bad", "the panel cannot be shown now");
    } catch {
      hearth.toast("bad", "the daemon cannot be reached");
    }
  };

  hearth.local.togglePanel = () => {
    const open = panel() && panel().dataset.panel;
    if (narrow()) {
      const is = body.dataset.drawer === "panel";
      if (is) delete body.dataset.drawer; else body.dataset.drawer = "panel";
      if (!is && !open) hearth.panel(last);
      return;
    }
    hearth.panel(open ? "" : last);
  };

  const follow = () => {
    const open = panel() ? panel().dataset.panel : "";
    if (open) last = open;
    else if (!here()) last = "approvals";
    const wanted = open ? "open" : "closed";
    if (body.dataset.panel !== wanted) body.dataset.panel = wanted;
    const toggle = document.getElementById("head-togglePanel");
    if (toggle) toggle.setAttribute("aria-expanded", String(Boolean(open)));
  };
  hearth.on("patched", follow);
  follow();
})();

// What this page may compile, make markup of, and load as a script. First of all scripts: the
// others, and Datastar, find it in place.
(() => {
  "use strict";
  const known = new Set(/* the expressions */[]);
  window.hearth = { local: {} };
  if (!window.trustedTypes) return;
  window.trustedTypes.createPolicy("default", {
    // Markup comes from the daemon, where everything that is not ours was escaped or sanitised.
    createHTML: (markup) => markup,
    createScript: (source) => {
      if (known.has(source)) return source;
      console.error("refused to compile", source.slice(0, 200));
      return null;
    },
    createScriptURL: (address) => {
      const wanted = document.body && document.body.dataset.line;
      return wanted && address === wanted ? address : null;
    },
  });
})();

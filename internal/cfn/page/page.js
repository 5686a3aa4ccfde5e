"use strict";
(() => {
  // Whoever follows a mark wants to see what was asked, and go on from there.
  const open = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    const details = target && target.closest("details");
    if (!details) return;
    details.open = true;
    const summary = details.querySelector("summary");
    summary.focus({ preventScroll: true });
    summary.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", open);
  addEventListener("click", (event) => {
    const mark = event.target.closest("a.mark");
    if (mark && mark.getAttribute("href") === location.hash) open();
  });
  open();

  let main = document.querySelector("main[data-follow]");
  if (!main) return;
  const said = document.getElementById("following");
  let tag = "";
  const replace = (page) => {
    const fresh = page.querySelector("main");
    const header = page.querySelector("header");
    for (const details of main.querySelectorAll("details[id]")) {
      const same = page.getElementById(details.id);
      if (same) same.open = details.open;
    }
    const at = document.activeElement;
    const href = at && at.getAttribute("href");
    const inside = at && at.closest("details[id]");
    main.replaceWith(fresh);
    document.querySelector("header").replaceWith(header);
    document.title = page.title;
    main = fresh;
    const again = (href && main.querySelector(`[href="${CSS.escape(href)}"]`)) ||
      (inside && document.querySelector(`#${CSS.escape(inside.id)} > summary`));
    if (again) again.focus({ preventScroll: true });
  };
  const follow = async () => {
    try {
      const answer = await fetch(location.pathname, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
      if (answer.status === 200) {
        const known = tag;
        tag = answer.headers.get("ETag") || "";
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (known !== tag && page.querySelector("main").innerHTML !== main.innerHTML) replace(page);
      }
      const same = answer.status === 200 || answer.status === 304;
      said.textContent = same ? "" : "It cannot be read any more: this is as it was last.";
    } catch {
      said.textContent = "cfnlocal no longer serves this page: it is as it was last.";
    }
    setTimeout(follow, main.dataset.follow === "live" ? 700 : 2500);
  };
  setTimeout(follow, 700);
})();

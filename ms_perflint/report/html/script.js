"use strict";
(() => {
  const open = (id) => {
    const target = id && document.getElementById(id);
    if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link) open(link.getAttribute("href").slice(1));
  });

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const each of folded) each.open = true;
  });
  addEventListener("afterprint", () => { for (const each of folded) each.open = false; });

  const form = document.querySelector("form");
  if (!form) return;
  form.hidden = false;
  const articles = [...document.querySelectorAll("article")];
  const fits = {
    rule: (article, value) => article.dataset.rule === value,
    fix: (article, value) => article.dataset.fix === value,
    program: (article, value) => article.dataset.program.split(" ").includes(value),
    text: (article, value) => article.textContent.toLowerCase().includes(value.toLowerCase()),
  };
  const apply = () => {
    const asked = [...new FormData(form)].filter(([, value]) => value);
    let shown = 0;
    for (const article of articles) {
      article.hidden = !asked.every(([name, value]) => fits[name](article, value));
      shown += !article.hidden;
    }
    const counter = form.querySelector("output");
    counter.textContent = counter.dataset.count.replace("{shown}", shown);
    return new URLSearchParams(asked).toString();
  };
  const keep = () => history.replaceState(null, "", "#" + (apply() || "findings"));
  const read = () => {
    const asked = location.hash.includes("=") ? new URLSearchParams(location.hash.slice(1)) : null;
    if (asked) for (const name of Object.keys(fits)) form.elements[name].value = asked.get(name) || "";
    else open(location.hash.slice(1));
    apply();
  };
  form.addEventListener("input", keep);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(keep));
  addEventListener("hashchange", read);
  read();
})();

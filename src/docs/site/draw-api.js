// Draws one part of the API with Swagger UI, whose bundle stands before this script, and links to the others.
const api = document.getElementById("api");
const list = document.getElementById("api-tags");
const wanted = decodeURIComponent(location.hash.slice(1).split("/")[0] || "");
const shown = (one) => !one["x-internal"];
// Paths without what isn't to be built on, and with one tag's operations alone.
const pick = (paths, isPicked) =>
  Object.fromEntries(
    Object.entries(paths)
      .map(([path, all]) => [
        path,
        Object.fromEntries(Object.entries(all).filter(([, one]) => isPicked(one))),
      ])
      .filter(([, all]) => Object.keys(all).length > 0),
  );
const link = (tag, count) => {
  const item = document.createElement("li");
  const anchor = document.createElement("a");
  anchor.href = "#" + encodeURIComponent(tag);
  anchor.textContent = tag;
  if (tag === wanted) anchor.setAttribute("aria-current", "page");
  item.append(anchor, " " + count);
  return item;
};
window.loadManualData(new URL(api.dataset.document, document.baseURI).href).then((spec) => {
  const operations = Object.values(spec.paths).flatMap(Object.values).filter(shown);
  const counts = new Map();
  for (const { tags: [tag] = ["Others"] } of operations) counts.set(tag, (counts.get(tag) || 0) + 1);
  list.replaceChildren(...[...counts].sort().map(([tag, count]) => link(tag, count)));
  const [first] = [...counts.keys()].sort();
  const tag = counts.has(wanted) ? wanted : first;
  const paths = pick(spec.paths, (one) => shown(one) && (one.tags || ["Others"])[0] === tag);
  SwaggerUIBundle({
    spec: { ...spec, paths },
    domNode: api,
    docExpansion: "list",
    defaultModelsExpandDepth: -1,
    validatorUrl: null,
  });
});
addEventListener("hashchange", () => location.reload());

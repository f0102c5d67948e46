// The list of pairs: search, filters, sorting, and which pair is the current one.
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

const INDEX = JSON.parse($("#index").textContent);
const BY_ID = new Map(INDEX.map((pair, number) => [pair.id, number]));
const ROWS = $$("#list tbody tr");

const list = { order: ROWS.map((_, number) => number), shown: [], sorted: null, down: false, at: -1 };

function fillSelect(select, values) {
  for (const value of [...new Set(values)].filter(Boolean).sort()) select.add(new Option(value));
  if (select.options.length < 2) select.disabled = true;
}

function matches(pair) {
  const words = $("#search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const flags = $$('#filters input[name="flag"]:checked').map((box) => box.value);
  const [system, category, overall] = ["system", "category", "overall"].map((id) => $(`#${id}`).value);
  return words.every((word) => pair.text.includes(word))
    && flags.every((flag) => pair.flags.includes(flag))
    && (!system || pair.systems.includes(system))
    && (!category || pair.category === category)
    && (!overall || pair.overall === overall);
}

// Search, filters and order stand in the address behind what it shows: #pairs&system=new&sort=-6.
const FIELDS = ["search", "system", "category", "overall"];

function chosen() {
  const said = new URLSearchParams();
  FIELDS.forEach((id) => { if ($(`#${id}`).value) said.set(id, $(`#${id}`).value); });
  $$('#filters input[name="flag"]:checked').forEach((box) => said.append("flag", box.value));
  if (list.sorted !== null) said.set("sort", `${list.down ? "-" : ""}${list.sorted}`);
  return `${said}` && `&${said}`;
}

function remember() {
  const place = location.hash.slice(1).split("&")[0];
  if (!place && !chosen()) return;
  try { history.replaceState(null, "", `#${place || "pairs"}${chosen()}`); } catch { /* not kept */ }
}

function restore(text) {
  const said = new URLSearchParams(text);
  FIELDS.forEach((id) => {
    $(`#${id}`).value = said.get(id) ?? "";
    if ($(`#${id}`).selectedIndex === -1) $(`#${id}`).value = "";
  });
  $$('#filters input[name="flag"]').forEach((box) => { box.checked = said.getAll("flag").includes(box.value); });
  const [, down, column] = /^(-?)(\d)$/.exec(said.get("sort") ?? "") ?? [];
  sort(column === undefined ? null : Number(column), Boolean(down));
}

function applyFilters() {
  const kept = INDEX.map(matches);
  ROWS.forEach((row, number) => { row.hidden = !kept[number]; });
  list.shown = list.order.filter((number) => kept[number]);
  const total = INDEX.length;
  $("#found").textContent = list.shown.length === total ? `${total} pairs`
    : `${list.shown.length} of ${total} pairs`;
  remember();
}

function sortKey(number, column) {
  const cell = ROWS[number].cells[column];
  const chip = $(".chip", cell);
  const text = (chip || cell).textContent.trim();
  if (chip) return { "1 · A": 0, "2 · B": 1, "both good": 2, "both bad": 3, tie: 4 }[text] ?? 9;
  if (cell.classList.contains("num")) return text === "" ? -1 : Number(text);
  return text;
}

function sortBy(column) {
  // third click: back to the order of the input
  const again = list.sorted === column;
  if (again && list.down) sort(null, false);
  else sort(column, again);
}

function sort(column, down) {
  list.sorted = column;
  list.down = down;
  list.order = ROWS.map((_, number) => number);
  if (list.sorted !== null) {
    const keys = list.order.map((number) => sortKey(number, column));
    const text = new Intl.Collator(undefined, { numeric: true });
    const compare = (x, y) => (typeof x === "string" ? text.compare(x, y) : x - y);
    const sign = list.down ? -1 : 1;
    list.order.sort((x, y) => sign * compare(keys[x], keys[y]) || x - y);
  }
  $("#list tbody").append(...list.order.map((number) => ROWS[number]));
  $$("#list th").forEach((head, number) => {
    if (list.sorted === number) head.setAttribute("aria-sort", list.down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
  applyFilters();
}

// Make a pair of the list the current one and show where it is.
function select(number) {
  ROWS[list.at]?.classList.remove("current");
  list.at = number;
  ROWS[number].classList.add("current");
  const link = $("a", ROWS[number]);
  link.focus({ preventScroll: true });
  ROWS[number].scrollIntoView({ block: "nearest" });
}

// The pair that is `step` further in the list as it is filtered and sorted now.
function neighbour(number, step) {
  const place = list.shown.indexOf(number);
  if (place < 0) return list.shown[step > 0 ? 0 : list.shown.length - 1];
  return list.shown[place + step];
}

fillSelect($("#system"), INDEX.flatMap((pair) => pair.systems));
fillSelect($("#category"), INDEX.map((pair) => pair.category));
$("#filters").addEventListener("input", applyFilters);
$("#filters").addEventListener("reset", () => setTimeout(applyFilters));
$("#filters").addEventListener("submit", (event) => event.preventDefault());
$$("#list th button").forEach((button) => {
  button.addEventListener("click", () => sortBy(Number(button.dataset.sort)));
});
restore(location.hash.split("&").slice(1).join("&"));

"use strict";
// Order and search of the answers, and the theme. Without it the list is complete, as given.
const list = document.querySelector("#list");
const rows = [...list.children];
const texts = rows.map((row) => row.textContent.toLowerCase());
const ORDERS = {
  number: (a, b) => a.dataset.number - b.dataset.number,
  spread: (a, b) => b.dataset.spread - a.dataset.spread,
  distance: (a, b) => b.dataset.distance - a.dataset.distance,
  low: (a, b) => a.dataset.value - b.dataset.value,
  unscored: (a, b) => b.dataset.value - a.dataset.value,
};
document.querySelector("#order")?.addEventListener("change", (event) => {
  const by = ORDERS[event.target.value];
  list.replaceChildren(...[...rows].sort((a, b) => by(a, b) || ORDERS.number(a, b)));
});
document.querySelector("#search").addEventListener("input", (event) => {
  const wanted = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  rows.forEach((row, place) => {
    row.hidden = !wanted.every((word) => texts[place].includes(word));
    shown += !row.hidden;
  });
  document.querySelector("#count").textContent = shown;
});
document.querySelector(".tools").addEventListener("submit", (event) => event.preventDefault());
document.querySelector("#theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem(THEME, root.dataset.theme); } catch { /* see theme.js */ }
});
// Each call has an address: it opens there.
function openAddressed() {
  let place = null;
  try { place = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { /* no address */ }
  const call = place && place.closest("details.answer");
  if (!call) return;
  call.open = true;
  call.hidden = false;
  call.scrollIntoView();
}
addEventListener("hashchange", openAddressed);
openAddressed();

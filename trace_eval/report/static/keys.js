// The keyboard, and the theme.
function typing(target) {
  return target.matches("input, select, textarea");
}

function step(by) {
  if (view.number >= 0) {
    const number = neighbour(view.number, by);
    if (number !== undefined) location.hash = address(number);
    return;
  }
  const number = neighbour(list.at, by);
  if (number !== undefined) select(number);
}

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  "/": () => {
    if (view.number >= 0) location.hash = "#pairs";
    setTimeout(() => { $("#search").focus(); $("#search").select(); });
  },
  Escape: () => { if (view.number >= 0) location.hash = "#pairs"; },
  "?": () => $("#help").showModal(),
  a: () => toggle(audioOf("a")),
  b: () => toggle(audioOf("b")),
  i: () => toggle(audioOf("instruction")),
  x: exchange,
  " ": () => toggle(player.active ?? audioOf("a") ?? audioOf("b")),
  ArrowLeft: () => seek(player.active, (player.active?.currentTime ?? 0) - 2),
  ArrowRight: () => seek(player.active, (player.active?.currentTime ?? 0) + 2),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("#help").open) return;
  if (typing(event.target)) {
    if (event.key === "Escape" && event.target.id === "search") event.target.blur();
    return;
  }
  const act = KEYS[event.key];
  if (!act) return;
  const inPair = view.number >= 0;
  if (event.key === " " && (!inPair || event.target.closest("button, summary, audio"))) return;
  if (event.key.startsWith("Arrow") && (!player.active || event.target.closest("audio"))) return;
  event.preventDefault();
  act();
});

$("#keys-button").addEventListener("click", () => $("#help").showModal());
$("#theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem(THEME, root.dataset.theme); } catch { /* not kept */ }
});

// Paper cannot be unfolded: what is folded on the page of a pair is open while it is printed.
addEventListener("beforeprint", () => {
  $$("#pair details:not([open])").forEach((item) => { item.open = true; item.dataset.folded = ""; });
});
addEventListener("afterprint", () => {
  $$("#pair details[data-folded]").forEach((item) => { item.open = false; delete item.dataset.folded; });
});

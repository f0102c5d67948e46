// The page of one pair, made from its packed fragments when the address asks for it.
const title = document.title;
const view = { number: -1, scroll: 0 };

// The fragments stand behind this script: one that is not there yet is still being read.
const complete = new Promise((done) => { addEventListener("DOMContentLoaded", done); });

async function unpack(id) {
  if (document.readyState === "loading") await complete;
  const text = document.getElementById(id).textContent;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

function address(number) {
  return `#pair=${encodeURIComponent(INDEX[number].id)}${chosen()}`;
}

function controls(number) {
  const bar = document.createElement("nav");
  bar.className = "pair-nav";
  bar.setAttribute("aria-label", "Pairs");
  const link = (text, href, hint) => {
    const item = document.createElement("a");
    item.textContent = text;
    if (href) item.href = href; else item.setAttribute("aria-disabled", "true");
    item.title = hint;
    bar.append(item);
  };
  const [before, after] = [neighbour(number, -1), neighbour(number, 1)];
  link("← All pairs", "#pairs", "Esc");
  const place = list.shown.indexOf(number);
  const where = document.createElement("span");
  where.textContent = place < 0 ? "" : `${place + 1} of ${list.shown.length}`;
  bar.append(where);
  link("Previous", before === undefined ? null : address(before), "k");
  link("Next", after === undefined ? null : address(after), "j");
  return bar;
}

// Both clips get one axis of time and their waveforms one scale: as long and as loud as they are.
function alike(figures) {
  const most = (name) => Math.max(...figures.map((figure) => Number(figure.dataset[name])));
  const [seconds, largest] = [most("seconds"), most("largest")];
  for (const figure of figures) {
    figure.style.setProperty("--length", Number(figure.dataset.seconds) / seconds);
    const share = largest ? Math.max(0.01, Number(figure.dataset.largest) / largest) : 1; // a line
    const shift = (1 - share) * Number(figure.dataset.middle);
    $(".waveform", figure)?.setAttribute("transform", `matrix(1 0 0 ${share} 0 ${shift})`);
  }
}

async function openPair(number) {
  if (!$("#report").hidden) view.scroll = scrollY;
  view.number = number;
  // Not a <template>: media of its inert document is refused when the page is a local file.
  const page = document.createElement("div");
  page.innerHTML = await unpack(`p${number}`);
  const sides = $$("[data-clip]", page);
  const drawings = await Promise.all(sides.map((side) => unpack(`c${side.dataset.clip}`)));
  if (view.number !== number) return; // another pair was asked for meanwhile
  sides.forEach((side, at) => side.insertAdjacentHTML("beforeend", drawings[at]));
  alike($$(".side .time", page));
  Object.assign(player, { active: null, views: [] });
  $("#pair").replaceChildren(controls(number), page);
  $$("#pair .side").forEach(connect);
  if (audioOf("instruction")) connect($("#pair .question"));
  $("#exchange")?.addEventListener("click", exchange);
  $("#report").hidden = true;
  $("#pair").hidden = false;
  document.title = `${INDEX[number].id} · ${title}`;
  scrollTo(0, 0);
  $("#pair h1").focus({ preventScroll: true });
}

function closePair() {
  const left = view.number;
  view.number = -1;
  $("#pair").hidden = true;
  $("#pair").replaceChildren();
  $("#report").hidden = false;
  document.title = title;
  if (left >= 0) {
    scrollTo(0, view.scroll);
    if (list.shown.includes(left)) select(left);
  }
}

function route() {
  const [place, ...said] = location.hash.slice(1).split("&");
  if (said.length && `&${said.join("&")}` !== chosen()) restore(said.join("&"));
  else remember();
  const found = /^pair=(.*)$/.exec(place);
  let number;
  try { number = found ? BY_ID.get(decodeURIComponent(found[1])) : undefined; } catch { /* no id */ }
  if (number !== undefined) return openPair(number);
  const wasOpen = view.number >= 0;
  if (wasOpen) closePair();
  if (place && !(wasOpen && place === "pairs")) {
    document.getElementById(place)?.scrollIntoView();
  }
}

addEventListener("hashchange", route);
if (location.hash.startsWith("#pair=") || location.hash.includes("&")) route();

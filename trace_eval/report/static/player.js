// Players of a pair: one sounds at a time. A and B share one playhead: cursors and words follow it.
const player = { active: null, views: [] };

function other(audio) {
  const [a, b] = [audioOf("a"), audioOf("b")];
  return audio === a ? b : audio === b ? a : null;
}

// The other answer, from the moment that is heard now.
function exchange() {
  const audio = player.active && other(player.active) ? player.active : audioOf("a");
  const next = audio && other(audio);
  if (!next) return;
  const sounding = !audio.paused;
  audio.pause();
  seek(next, Math.min(audio.currentTime, next.duration || Infinity), sounding);
}

function audioOf(side) {
  return $(`[data-side="${side}"] audio`, $("#pair"));
}

function toggle(audio) {
  if (!audio) return;
  player.active = audio;
  if (audio.paused) audio.play().catch(() => {});
  else audio.pause();
}

function seek(audio, second, play = false) {
  if (!audio) return;
  player.active = audio;
  audio.currentTime = Math.max(0, second);
  if (play) audio.play().catch(() => {});
  audio.dispatchEvent(new Event("timeupdate"));
}

// Connect the player of one side with its drawing and its words, which stand apart.
function connect(section) {
  const audio = audioOf(section.dataset.side);
  const figure = $(".time", section);
  const words = $$(".words b[data-t]", section).map((word) => {
    const [start, end] = word.dataset.t.split("-").map((part) => Number(part) / 100);
    word.title = `${start.toFixed(2)}–${end.toFixed(2)} s${word.classList.contains("q") ? ", doubtful" : ""}`;
    word.tabIndex = -1;
    word.setAttribute("role", "button");
    return { word, start, end };
  });
  if (words.length) words[0].word.tabIndex = 0;
  if (!audio) return;
  player.views.push({ audio, draw });
  audio.addEventListener("play", () => {
    player.active = audio;
    $$("#pair audio").filter((one) => one !== audio).forEach((one) => one.pause());
    const follow = () => { show(); if (!audio.paused && audio.isConnected) requestAnimationFrame(follow); };
    follow();
  });
  audio.addEventListener("timeupdate", show);
  audio.addEventListener("error", () => section.classList.add("silent"));
  let spoken = null;
  function show() {
    if (player.active && player.active !== audio) return; // the playhead is where it sounds
    const shared = other(audio);
    player.views.filter((one) => one.audio === audio || one.audio === shared)
      .forEach((one) => one.draw(audio.currentTime));
  }
  function draw(now) {
    if (figure) {
      const at = Math.min(1, now / Number(figure.dataset.seconds));
      figure.style.setProperty("--at", at);
      $(".cursor", figure).setAttribute("transform", `translate(${(at * Number(figure.dataset.width)).toFixed(2)} 0)`);
    }
    const found = words.find((entry) => entry.start <= now && now < entry.end) ?? null;
    if (found === spoken) return;
    spoken?.word.classList.remove("now");
    found?.word.classList.add("now");
    spoken = found;
  }
  figure?.addEventListener("click", (event) => {
    const box = $("svg", figure).getBoundingClientRect();
    seek(audio, ((event.clientX - box.left) / box.width) * Number(figure.dataset.seconds));
  });
  const find = (target) => words.find((entry) => entry.word === target);
  $(".words", section)?.addEventListener("click", (event) => {
    const entry = find(event.target);
    if (entry) seek(audio, entry.start, true);
  });
  $(".words", section)?.addEventListener("keydown", (event) => {
    const at = words.indexOf(find(event.target));
    if (at < 0) return;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Enter") seek(audio, words[at].start, true);
    else if (step && words[at + step]) {
      words[at].word.tabIndex = -1;
      words[at + step].word.tabIndex = 0;
      words[at + step].word.focus();
    } else if (!step) return;
    event.preventDefault();
    event.stopPropagation();
  });
}

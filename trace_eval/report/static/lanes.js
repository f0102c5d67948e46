// A click on a turn or an event of a conversation plays from a second before it.
document.addEventListener("click", (event) => {
  const bar = event.target.closest("[data-at]");
  const call = bar && bar.closest(".call");
  if (!call) return;
  const players = [...call.querySelectorAll("audio")];
  const player = players[bar.closest(".of-agent") && players.length > 1 ? 1 : 0];
  if (!player) return;
  player.currentTime = Math.max(0, Number(bar.dataset.at) - 1);
  player.play();
});

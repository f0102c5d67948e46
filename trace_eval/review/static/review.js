/* Keys, and answers without a new page, so that a recording plays on while you answer.
   Without this script the pages work as plain forms. */
"use strict";
(() => {
  const SEEK_S = 2;
  const HEARD_S = 1; // played for so long, or to its end, an answer counts as played
  document.documentElement.classList.add("scripted");
  let pending = false;
  let latest = null; // the recording that was played last
  const played = new Set(); // answers of this pair that were played, by their keys

  const find = (selector) => document.querySelector(selector);
  const notice = (text) => {
    const place = find("#notice");
    place.textContent = text;
    place.hidden = !text;
  };

  // --- recordings ---------------------------------------------------------------------
  const play = (audio) => {
    if (!audio.paused) return audio.pause();
    audio.play().catch(() => notice("This recording cannot be played. Say so in the comment."));
  };
  // Of a call: both voices, the user's alone, the agent's alone.
  const LANES = ["both voices", "the user alone", "the agent alone"];
  const nextLane = () => {
    const audio = latest?.dataset.lanes ? latest : find("audio[data-lanes]");
    if (!audio) return;
    const clips = audio.dataset.lanes.split(" "), at = audio.currentTime, paused = audio.paused;
    const next = (Number(audio.dataset.lane ?? 0) + 1) % clips.length;
    audio.dataset.lane = next;
    audio.parentElement.querySelector(".lane").textContent = LANES[next];
    audio.addEventListener("loadedmetadata", () => {
      audio.currentTime = at;
      if (!paused) audio.play().catch(() => {});
    }, { once: true });
    audio.src = `/audio/${clips[next]}`;
  };
  document.addEventListener("play", (event) => {
    latest = event.target;
    for (const other of document.querySelectorAll("audio")) if (other !== latest) other.pause();
    latest.closest("section").classList.add("playing");
  }, true);
  for (const name of ["pause", "ended"]) {
    document.addEventListener(name, (event) => event.target.closest("section")?.classList.remove("playing"), true);
  }

  // Asked for anew, because a busy browser tells late how far a recording is.
  const heard = (audio) => {
    let seconds = 0;
    for (let at = 0; at < audio.played.length; at++) seconds += audio.played.end(at) - audio.played.start(at);
    return played.has(audio.dataset.key) || seconds >= HEARD_S;
  };
  // An answer that cannot be played is not asked for: the rater says so in the comment.
  const unplayed = () => [...document.querySelectorAll(".answer audio")]
    .filter((audio) => !heard(audio) && !audio.error)
    .map((audio) => audio.dataset.key.toUpperCase());
  for (const name of ["timeupdate", "ended"]) {
    document.addEventListener(name, (event) => {
      const audio = event.target;
      if (!audio.closest?.(".answer") || played.has(audio.dataset.key)) return;
      if (name === "timeupdate" && !heard(audio)) return;
      played.add(audio.dataset.key);
      const place = find("#must-play");
      if (place && !unplayed().length) place.hidden = true;
    }, true);
  }

  // --- answers ------------------------------------------------------------------------
  const show = (page) => {
    const now = find("main"), next = page.querySelector("main");
    const sameItem = next.dataset.task !== undefined && now.dataset.task === next.dataset.task
      && now.dataset.turn === next.dataset.turn
      && find("#panel") && page.querySelector("#panel");
    if (sameItem) {
      const comment = page.querySelector("#comment");
      find("#panel").replaceWith(page.querySelector("#panel"));
      if (comment.hasAttribute("data-each")) find(".comment").replaceWith(comment.closest(".comment"));
      else {
        find("#comment").dataset.final = comment.dataset.final;
        find("label[for=comment]").replaceWith(page.querySelector("label[for=comment]"));
      }
      now.dataset.step = next.dataset.step;
    } else {
      for (const audio of now.querySelectorAll("audio")) audio.pause();
      latest = null;
      played.clear();
      now.replaceWith(next);
      scrollTo(0, 0);
    }
    find("header.top").replaceWith(page.querySelector("header.top"));
    document.title = page.title;
    find("#question")?.focus({ preventScroll: true });
  };
  const send = async (form, button) => {
    if (pending) return;
    const rates = form.hasAttribute("data-must-play") && !button?.hasAttribute("formaction");
    if (rates && unplayed().length) {
      notice(`Play ${unplayed().join(" and ")} first: a rating asks to have heard both.`);
      return;
    }
    pending = true;
    document.body.classList.add("waiting");
    try {
      const body = new URLSearchParams(new FormData(form, button));
      if (rates) body.set("played", "a b");
      const address = button?.hasAttribute("formaction") ? button.formAction : form.action;
      const reply = await fetch(address, { method: "POST", body });
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      if (!page.querySelector("main")) throw new Error(reply.statusText);
      notice("");
      show(page);
    } catch {
      notice("The server does not answer. All earlier answers are kept; give this one again when the server is back.");
    } finally {
      pending = false;
      document.body.classList.remove("waiting");
    }
  };
  document.addEventListener("submit", (event) => {
    if (event.target.hasAttribute("data-plain")) return;
    event.preventDefault();
    send(event.target, event.submitter);
  });

  // --- keys ---------------------------------------------------------------------------
  const inComment = (event) => {
    if (event.key === "Escape") return event.target.blur();
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    event.target.blur();
    if (event.target.dataset.final === "yes" && !event.repeat) find("[data-key=enter]").click();
  };
  const onPage = (event) => {
    const key = event.key.toLowerCase();
    if (key === " " || key === "arrowleft" || key === "arrowright") {
      const audio = latest ?? find("main[data-turn] .answer audio"); // of a call: the turn that is rated
      if (!audio || event.target.matches("button, a, audio")) return;
      event.preventDefault();
      if (key === " ") play(audio);
      else audio.currentTime += key === "arrowleft" ? -SEEK_S : SEEK_S;
      return;
    }
    if (key === "l" && !event.repeat && find("audio[data-lanes]")) return nextLane();
    if (key === "enter" && event.target.matches("button, a")) return;
    const target = find(`[data-key="${CSS.escape(key)}"]`);
    if (!target || event.repeat) return;
    event.preventDefault();
    if (target.matches("audio")) play(target);
    else if (target.matches("textarea")) target.focus();
    else target.click();
  };
  // Keys that come while the page is still being read count once it is there.
  let early = [];
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.matches("textarea")) inComment(event);
    else if (event.target.matches("input")) return;
    else if (early) early.push(event);
    else onPage(event);
  });
  document.addEventListener("DOMContentLoaded", () => {
    find("#question, [autofocus]")?.focus({ preventScroll: true }); // else only with the first picture
    const waiting = early;
    early = null;
    waiting.forEach(onPage);
  });
})();

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
  // A recording that was paused before it began can be played: that is an AbortError.
  const begin = (audio, words) =>
    audio.play().catch(({ name }) => name !== "AbortError" && notice(words));
  const play = (audio) => {
    if (!audio.paused) return audio.pause();
    begin(audio, "This recording cannot be played. Say so in the comment.");
  };
  // The line in a waveform is where its recording is; a click moves it.
  const waveOf = (audio) => audio.closest?.(".player")?.querySelector(".wave");
  for (const name of ["timeupdate", "seeked"]) {
    document.addEventListener(name, ({ target }) => {
      waveOf(target)?.style.setProperty("--at", target.currentTime / (target.duration || 1));
    }, true);
  }
  document.addEventListener("click", ({ target, clientX }) => {
    const wave = target.closest(".wave"), audio = wave?.parentElement.querySelector("audio");
    if (!audio?.duration) return;
    const box = wave.getBoundingClientRect();
    audio.currentTime = audio.duration * (clientX - box.left) / box.width;
    if (audio.paused) play(audio);
  });
  // Of a call: both voices, the user's alone, the agent's alone.
  const LANES = ["both voices", "the user alone", "the agent alone"];
  const LANE_KEYS = ["b", "u", "a"];
  const ofCall = () => (latest?.dataset.lanes ? latest : find("audio[data-lanes]"));
  const hearLane = (audio, lane) => {
    const clips = audio.dataset.lanes.split(" "), at = audio.currentTime, paused = audio.paused;
    const next = (lane ?? Number(audio.dataset.lane ?? 0) + 1) % clips.length;
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

  document.addEventListener("click", (event) => {
    const lane = event.target.closest("[data-lane]:not(audio)");
    if (lane) hearLane(lane.closest(".player").querySelector("audio"), Number(lane.dataset.lane));
  });

  // --- events of a call: one is chosen; its edges are moved, then kept -----------------
  const STEP_S = 0.01;
  const DRAWN_PX = 5; // a pointer that moved less has clicked
  let edge = "start";
  let stop = null; // where playing an event ends
  const edgeInput = (name) => find(`.edges [name=${name}]`);
  const drawEdges = () => {
    const handles = document.querySelectorAll("rect.edge"), drawing = handles[0]?.ownerSVGElement;
    if (!drawing) return;
    const { from, to } = drawing.dataset, columns = drawing.viewBox.baseVal.width;
    const column = (name) => (columns * (Number(edgeInput(name).value) - from)) / (to - from);
    for (const handle of handles) {
      handle.setAttribute("x", column(handle.dataset.edge) - 3);
      handle.classList.toggle("taken", handle.dataset.edge === edge);
    }
    const chosen = drawing.querySelector(".chosen");
    chosen.setAttribute("x", column("start"));
    chosen.setAttribute("width", Math.max(1, column("end") - column("start")));
  };
  const moveEdge = (to) => {
    const start = Number(edgeInput("start").value), end = Number(edgeInput("end").value);
    const at = edge === "start" ? Math.min(to, end) : Math.max(to, start);
    edgeInput(edge).value = at.toFixed(3);
    drawEdges();
  };
  const playEvent = () => {
    const audio = find("audio[data-heard-from]");
    if (!audio) return;
    if (!audio.paused) return audio.pause();
    const start = Number(edgeInput("start").value) - audio.dataset.heardFrom;
    stop = Number(edgeInput("end").value) - audio.dataset.heardFrom + 1;
    audio.currentTime = Math.max(0, start - 1);
    begin(audio, "This recording cannot be played.");
  };
  document.addEventListener("timeupdate", (event) => {
    if (stop === null || event.target.currentTime < stop) return;
    stop = null;
    event.target.pause();
  }, true);
  // A new event where the recording is, or, where it was not played, as the link says.
  const newEvent = (link) => {
    const audio = find("audio[data-heard-from]"), at = audio?.currentTime;
    const place = `${find("svg.lanes").dataset.add}&start=${at + Number(audio?.dataset.heardFrom)}`;
    visit(at ? place : link.getAttribute("href"));
  };
  let drawn = false; // the click at the end of drawing chooses nothing
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-play]")) playEvent();
    const link = event.target.closest("[data-visit]");
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (drawn) return;
    if (link.dataset.key === "n") newEvent(link);
    else visit(link.getAttribute("href"));
  });
  document.addEventListener("dragstart", (event) => {
    if (event.target.closest?.("svg.lanes")) event.preventDefault(); // of a link
  });
  document.addEventListener("pointerdown", (event) => {
    drawn = false;
    const drawing = event.target.closest("svg.lanes"), { clientX } = event;
    if (!drawing || event.button) return;
    const taken = event.target.matches("rect.edge"), box = drawing.getBoundingClientRect();
    const from = Number(drawing.dataset.from), to = Number(drawing.dataset.to);
    const timeAt = (x) => from + ((to - from) * (Math.min(Math.max(x, box.left), box.right) - box.left)) / box.width;
    const mark = document.createElementNS(drawing.namespaceURI, "rect");
    if (taken) {
      event.preventDefault();
      edge = event.target.dataset.edge;
    }
    const follow = (moved) => {
      if (taken) return moveEdge(timeAt(moved.clientX));
      drawn ||= Math.abs(moved.clientX - clientX) >= DRAWN_PX;
      if (!drawn) return;
      const columns = drawing.viewBox.baseVal.width / box.width;
      const [left, right] = [clientX, moved.clientX].sort((one, other) => one - other);
      const sizes = { class: "event chosen", x: (left - box.left) * columns, y: 0, width: (right - left) * columns, height: 96 };
      for (const [name, value] of Object.entries(sizes)) mark.setAttribute(name, value);
      drawing.append(mark);
    };
    const leave = (last) => {
      document.removeEventListener("pointermove", follow);
      for (const name of ["pointerup", "pointercancel"]) document.removeEventListener(name, leave);
      if (taken || !drawn) return;
      mark.remove();
      const [start, end] = [clientX, last.clientX].map(timeAt).sort((one, other) => one - other);
      if (last.type === "pointerup") visit(`${drawing.dataset.add}&start=${start.toFixed(3)}&end=${end.toFixed(3)}`);
    };
    document.addEventListener("pointermove", follow);
    for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, leave);
  });
  document.addEventListener("input", (event) => {
    if (event.target.closest(".edges")) drawEdges();
  });

  // Asked for anew, because a busy browser tells late how far a recording is.
  const heard = (audio) => {
    let seconds = 0;
    for (let at = 0; at < audio.played.length; at++) seconds += audio.played.end(at) - audio.played.start(at);
    return played.has(audio.dataset.key) || audio.hasAttribute("data-heard") || seconds >= HEARD_S;
  };
  // An answer that cannot be played is not asked for: the rater says so in the comment.
  const unplayed = () => [...document.querySelectorAll(".answer audio[data-key]")]
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

  // --- long scales: a number is typed, or set by its slider -------------------------------
  const SAVE_MS = 300; // after the last change of a page of scores, all of them are kept
  let typed = ""; // digits of the number that is being typed
  let saving = null;
  const chosenSlider = () => find("[data-slider][data-chosen]");
  const numberOf = (slider) => slider.querySelector("[type=number]");
  const mirror = (slider) => {
    const number = numberOf(slider), range = slider.querySelector("[type=range]");
    if (number.value !== "") range.value = number.value;
    range.toggleAttribute("data-unset", number.value === "");
  };
  const save = async () => {
    const form = find("form[data-scores]");
    if (!form) return;
    try {
      const reply = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      if (reply.status !== 204) notice((await pageOf(reply)).querySelector("main .notice")?.textContent ?? "");
      else if (!pending) notice("");
    } catch {
      notice("The server does not answer. Scores that you set from now on are not kept until it is back.");
    }
  };
  const saveSoon = () => {
    clearTimeout(saving);
    saving = setTimeout(save, SAVE_MS);
  };
  const NUMBER = /^-?[0-9]*[.]?[0-9]+$/;
  const setNumber = (slider, text) => {
    const begun = text.replace(/[.]$/, ""); // of 3. it is 3 so far, of - nothing
    numberOf(slider).value = NUMBER.test(begun) ? begun : "";
    mirror(slider);
    saveSoon();
  };
  const choose = (slider) => {
    if (!slider || slider.hasAttribute("data-chosen")) return;
    for (const other of document.querySelectorAll("[data-slider]")) other.toggleAttribute("data-chosen", other === slider);
    typed = "";
  };
  const typeNumber = (slider, key) => {
    const number = numberOf(slider);
    if (key === "backspace") typed = (typed || number.value).slice(0, -1);
    else typed += key === "," ? "." : key;
    setNumber(slider, typed);
    // What would leave the scale begins anew.
    if (NUMBER.test(typed) && !number.validity.valid && typed.length > 1) setNumber(slider, (typed = key));
  };
  const stepNumber = (slider, steps) => {
    const { min, max, step, value } = numberOf(slider), low = Number(min), high = Number(max);
    const size = Number(step), middle = low + size * Math.round((high - low) / size / 2);
    const moved = (value === "" ? middle : Number(value)) + steps * size;
    typed = "";
    setNumber(slider, String(Number(Math.min(high, Math.max(low, moved)).toFixed(6))));
  };
  // Whether the key was for the number.
  const inSlider = (event, key) => {
    const slider = chosenSlider();
    if (!slider) return false;
    const empty = numberOf(slider).value === "" && typed === "";
    if (/^[0-9.,-]$/.test(key) || (key === "backspace" && !empty)) typeNumber(slider, key);
    else if (key === "arrowup" || key === "arrowdown") {
      stepNumber(slider, (key === "arrowup" ? 1 : -1) * (event.shiftKey ? 10 : 1));
    } else return false;
    event.preventDefault();
    return true;
  };
  document.addEventListener("input", ({ target }) => {
    const slider = target.closest("[data-slider]");
    if (!slider) return;
    choose(slider);
    typed = "";
    if (target.matches("[type=range]")) setNumber(slider, target.value);
    else {
      mirror(slider);
      saveSoon();
    }
  });
  // Not by "play": that event comes late, when another one may be chosen already.
  for (const name of ["pointerdown", "focusin"]) {
    document.addEventListener(name, ({ target }) => {
      const place = target.closest?.(".stimulus, [data-slider]");
      choose(place?.matches("[data-slider]") ? place : place?.querySelector("[data-slider]"));
    }, true);
  }
  // A slider that was not moved is set by a click, too.
  document.addEventListener("click", ({ target }) => {
    if (target.matches("[type=range][data-unset]")) setNumber(target.closest("[data-slider]"), target.value);
  });

  // --- answers ------------------------------------------------------------------------
  const show = (page) => {
    const now = find("main"), next = page.querySelector("main");
    const sameItem = next.dataset.task !== undefined && now.dataset.task === next.dataset.task
      && now.dataset.turn === next.dataset.turn
      && find("#panel") && page.querySelector("#panel");
    if (sameItem) {
      const comment = page.querySelector("#comment");
      find("#panel").replaceWith(page.querySelector("#panel"));
      if (!comment) edge = "start"; // of events
      else if (comment.hasAttribute("data-each")) find(".comment").replaceWith(comment.closest(".comment"));
      else {
        find("#comment").dataset.final = comment.dataset.final;
        find("label[for=comment]").replaceWith(page.querySelector("label[for=comment]"));
      }
      now.dataset.step = next.dataset.step;
    } else {
      for (const audio of now.querySelectorAll("audio")) audio.pause();
      latest = null;
      typed = "";
      clearTimeout(saving);
      played.clear();
      now.replaceWith(next);
      scrollTo(0, 0);
    }
    find("header.top").replaceWith(page.querySelector("header.top"));
    document.title = page.title;
    find("#question")?.focus({ preventScroll: true });
    drawEdges();
  };
  const pageOf = async (reply) => {
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    if (!page.querySelector("main")) throw new Error(reply.statusText);
    return page;
  };
  const visit = async (address) => {
    if (pending) return;
    pending = true;
    try {
      show(await pageOf(await fetch(address)));
    } catch {
      notice("The server does not answer. What was kept is kept.");
    } finally {
      pending = false;
    }
  };
  const send = async (form, button) => {
    if (pending) return;
    const leaves = button?.hasAttribute("formaction") || button?.value === "none";
    const rates = form.hasAttribute("data-must-play") && !leaves;
    if (rates && unplayed().length) {
      const letters = form.dataset.mustPlay.split(" ").length;
      const every = letters > 2 ? "all of them" : letters > 1 ? "both" : "it";
      notice(`Play ${unplayed().join(" and ")} first: a rating asks to have heard ${every}.`);
      return;
    }
    pending = true;
    document.body.classList.add("waiting");
    try {
      const body = new URLSearchParams(new FormData(form, button));
      if (rates) body.set("played", form.dataset.mustPlay);
      const address = button?.hasAttribute("formaction") ? button.formAction : form.action;
      const reply = await fetch(address, { method: "POST", body });
      const page = await pageOf(reply);
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
  const inForm = (event) => {
    if (event.key === "Escape") event.target.blur();
    const inNumber = event.target.matches("[data-slider] input");
    if (inNumber && /^([a-z]|Arrow(Up|Down)| )$/i.test(event.key)) {
      event.preventDefault();
      event.target.blur();
      return onPage(event);
    }
    if (event.key !== "Enter" || !event.target.matches("select")) return;
    event.preventDefault();
    find("[data-key=enter]").click();
  };
  const onPage = (event) => {
    const key = event.key.toLowerCase();
    if (inSlider(event, key)) return;
    const lane = LANE_KEYS.indexOf(key);
    // Where the letter is taken, with Shift only.
    if (lane >= 0 && !event.repeat && ofCall() && (event.shiftKey || !find(`[data-key=${key}]`))) {
      return hearLane(ofCall(), lane);
    }
    if (edgeInput("start")) {
      if (key === "s" || key === "e") {
        edge = key === "s" ? "start" : "end";
        return drawEdges();
      }
      if (key === "arrowleft" || key === "arrowright") {
        event.preventDefault();
        const step = (key === "arrowleft" ? -STEP_S : STEP_S) * (event.shiftKey ? 10 : 1);
        return moveEdge(Number(edgeInput(edge).value) + step);
      }
    }
    if (key === " " || key === "arrowleft" || key === "arrowright") {
      const audio = latest ?? find("main[data-turn] .answer audio"); // of a call: the turn that is rated
      if (!audio || event.target.matches("button, a, audio")) return;
      event.preventDefault();
      if (key === " ") play(audio);
      else audio.currentTime += key === "arrowleft" ? -SEEK_S : SEEK_S;
      return;
    }
    if (key === "l" && !event.repeat && ofCall()) return hearLane(ofCall());
    if (key === "enter" && event.target.matches("button, a")) return;
    const target = find(`[data-key="${CSS.escape(key)}"]`);
    if (!target) return /^[a-z0-9]$/.test(key) && notice(`The key ${key.toUpperCase()} does nothing here.`);
    if (event.repeat) return;
    event.preventDefault();
    if (!pending) notice("");
    if (target.matches("audio")) {
      choose(target.closest(".stimulus")?.querySelector("[data-slider]"));
      play(target);
    }
    else if (target.matches("textarea")) target.focus();
    else target.click();
  };
  // Keys that come while the page is still being read count once it is there.
  let early = [];
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.matches("textarea")) inComment(event);
    else if (event.target.matches("input, select")) inForm(event);
    else if (early) early.push(event);
    else onPage(event);
  });
  document.addEventListener("DOMContentLoaded", () => {
    find("#question, [autofocus]")?.focus({ preventScroll: true }); // else only with the first picture
    const waiting = early;
    early = null;
    drawEdges();
    waiting.forEach(onPage);
  });
})();

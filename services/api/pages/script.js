// Conveniences of the pages; without them, nothing is missing but these.
"use strict";

const MINUTE = 60;
const UNITS = [["second", 1], ["minute", 60], ["hour", 3600], ["day", 86400]];
const WEEK = 7 * 86400;
const whole = new Intl.DateTimeFormat(undefined, {dateStyle: "long", timeStyle: "short"});
const day = new Intl.DateTimeFormat(undefined, {dateStyle: "medium"});
const ago = new Intl.RelativeTimeFormat("en", {numeric: "auto"});

// Times in the reader's zone; recent ones relative to now.
function showTimes() {
  for (const time of document.querySelectorAll("time")) {
    const moment = new Date(time.dateTime);
    const seconds = Math.max(0, (Date.now() - moment) / 1000);
    const [unit, size] = UNITS.findLast(([, size]) => seconds >= size) || UNITS[0];
    time.title = whole.format(moment);
    time.textContent = seconds < WEEK ? ago.format(-Math.floor(seconds / size), unit) : day.format(moment);
  }
}

function addCopyButton(block) {
  const button = document.createElement("button");
  const frame = document.createElement("div");
  frame.className = "copyable";
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  block.replaceWith(frame);
  frame.append(block, button);
}

showTimes();
setInterval(showTimes, MINUTE * 1000);
if (navigator.clipboard) document.querySelectorAll("pre").forEach(addCopyButton);

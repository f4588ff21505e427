import { element } from './dom.js';

const box = document.getElementById('help');
const texts = fetch('help.json').then((answer) => answer.json());
let shownFor;
let shownAt = 0;

/** It stands still on the screen, so it goes when the page has moved on under it. */
const TOO_FAR = 60;

/** The name of a figure; pressed, it says what the figure means. */
export function helped(name, text, attributes = {}) {
  const button = element('button', { type: 'button', text, ...attributes });
  // the press that closes the box by itself must not open it again
  button.addEventListener('pointerdown', () => {
    button.wasOpen = shownFor === button && box.matches(':popover-open');
  });
  button.addEventListener('click', () => {
    const wasOpen = button.wasOpen;
    button.wasOpen = false;
    if (!wasOpen) show(button, name);
  });
  return button;
}

async function show(button, name) {
  box.textContent = (await texts)[name] ?? '';
  shownFor = button;
  shownAt = scrollY;
  box.showPopover();
  const { left, bottom, top } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  box.style.left = `${Math.max(12, Math.min(left, innerWidth - width - 12))}px`;
  box.style.top = `${bottom + height + 12 > innerHeight ? Math.max(12, top - height - 8) : bottom + 8}px`;
}

addEventListener('scroll', () => Math.abs(scrollY - shownAt) > TOO_FAR && box.hidePopover(), {
  passive: true,
});

import type { Progress } from '@spillway/simulator';
import type { Terminal } from '../terminal.js';

const WIDTH = 30;

/** A bar that moves on one line, where somebody looks; silent where nobody does. */
export function progressBar(terminal: Terminal): {
  readonly show: (progress: Progress) => void;
  readonly clear: () => void;
} {
  let shown = '';
  const show = ({ variant, index, variants, nowMs, endMs }: Progress): void => {
    if (!terminal.isInteractive) return;
    const share = (index + Math.min(1, nowMs / endMs)) / variants;
    const filled = Math.round(share * WIDTH);
    const bar = `${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}`;
    const line = `[${bar}] ${Math.floor(share * 100)} %  ${variant} (${index + 1} of ${variants})`;
    if (line === shown) return;
    terminal.complain(`\r${line.padEnd(shown.length)}`);
    shown = line;
  };
  const clear = (): void => {
    if (shown !== '') terminal.complain(`\r${' '.repeat(shown.length)}\r`);
    shown = '';
  };
  return { show, clear };
}

/** Where a command reads and writes; a test gives one of its own. */
export interface Terminal {
  /** Is somebody looking at it? Then long runs show how far they are. */
  readonly isInteractive: boolean;
  /** Standard output. */
  write(text: string): void;
  /** Standard error. */
  complain(text: string): void;
  /** Calls `then` once when somebody presses Ctrl-C; returns the way to stop listening. */
  onInterrupt(then: () => void): () => void;
}

export function processTerminal(): Terminal {
  return {
    isInteractive: process.stderr.isTTY === true,
    write: (text) => {
      process.stdout.write(text);
    },
    complain: (text) => {
      process.stderr.write(text);
    },
    onInterrupt: (then) => {
      process.once('SIGINT', then);
      return () => process.off('SIGINT', then);
    },
  };
}

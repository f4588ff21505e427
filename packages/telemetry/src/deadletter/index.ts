export {
  type DeadLetters,
  type DeadLettersOptions,
  deadLetters,
  type LetteredSpillway,
} from './dead-letters.js';
export type { DeadLetter, LetterAttempt } from './letter.js';
export { redactPath } from './redact-path.js';

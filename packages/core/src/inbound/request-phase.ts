/** What was decided at the door. */
export type Decision = 'admitted' | 'waiting' | 'refused';

/**
 * `open`: nothing has been answered. `started`: headers are out. `answered`: we answered in the handler's place.
 * `closed`: sent to its end, or the connection is gone.
 */
export type Phase = 'open' | 'started' | 'answered' | 'closed';

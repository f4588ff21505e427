/** How work ended that the gate had let in: with a result to learn from, with none, or given up under load. */
export type PermitEnd = 'success' | 'ignored' | 'dropped';

/** Stands among the names that a session is asked to look up for all properties that some events have. */
export const allProperties = 'props.*';

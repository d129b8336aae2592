/** What a query is answered with where the run has to read its history anew first (runtime/unread-events.ts). */
export const READ_AGAIN = 'Something has just happened to this run that it has not taken up yet. Ask again.';

/** Spans of traces that reached nobody, as metrics count them. Who drops and who counts share nothing but this. */

/** Name of the `diagnostics_channel` on which their number is published. */
export const SPANS_DROPPED = 'belay:trace-spans-dropped';

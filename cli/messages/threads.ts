/** What `belay logs` says beside what a run has told. */

/** `kind`: of a notification that this version does not know, or that is not whole. */
export const notShown = (kind: string, key: string): string =>
  `${key}: this version of Belay cannot show messages of kind ${kind}; see --format json.`;

export const fileInThread = (title: string, fileName: string): string => `${title} (${fileName}; --format json has its text)`;

export const curvesInThread = (gate: string): string => `Health checks at ${gate} over time, as a picture in Slack`;

/** `zone`: IANA name of the machine's time zone. */
export const timesAre = (zone: string): string => `Times are in ${zone}.`;

export const nothingTold = (cluster: string): string =>
  `This run of ${cluster} has no messages yet. "belay status ${cluster}" shows where it is.`;

/** `why`: a sentence. */
export const followsAgain = (why: string): string => `${why} Following again as soon as it does.`;

/** Small texts that read the same wherever people meet them. */

/** "a, b, c and 7 more": for text, never for what a step acts on. */
export function someOf(names: readonly string[], limit = 5): string {
  const rest = names.length - limit;
  return rest > 0 ? `${names.slice(0, limit).join(', ')} and ${rest} more` : names.join(', ');
}

/** "a", "a and b", "a, b and c": where all of them are named. */
export const everyOne = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** "1 node", "2 nodes", "2 classes", "2 entries", "2 gateways" */
export function count(n: number, noun: string): string {
  return `${n} ${n === 1 ? noun : plural(noun)}`;
}

function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return `${noun}${/(s|x|ch|sh)$/.test(noun) ? 'es' : 's'}`;
}

/** The word that goes with so many: "it" with one, "them" with all else. */
export function agree(n: number, one: string, many: string): string {
  return n === 1 ? one : many;
}

/** "45 s", "12 min", "3 h 20 min", "2 d 4 h". */
export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '0 s';
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return join(hours, 'h', minutes % 60, 'min');
  return join(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** "5 minutes ago", "2 hours ago", "9 days ago"; "a moment ago" below a minute. */
export function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (!(minutes >= 1)) return 'a moment ago';
  if (minutes < 60) return `${count(minutes, 'minute')} ago`;
  const hours = Math.floor(minutes / 60);
  return `${hours < 48 ? count(hours, 'hour') : count(Math.floor(hours / 24), 'day')} ago`;
}

function join(major: number, majorUnit: string, minor: number, minorUnit: string): string {
  return minor === 0 ? `${major} ${majorUnit}` : `${major} ${majorUnit} ${minor} ${minorUnit}`;
}

/** "about 10 minutes", "about 20 seconds". */
export function about(durationMs: number): string {
  const seconds = Math.max(1, Math.round(durationMs / 1000));
  return `about ${seconds < 90 ? count(seconds, 'second') : count(Math.round(seconds / 60), 'minute')}`;
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What follows a statement where somebody gave a reason. */
export const because = (reason: string | undefined): string => (reason === undefined ? '' : `: ${reason}`);

/** "Deployment shop/web" */
export const objectTitle = ({ kind, namespace, name }: { kind: string; namespace: string; name: string }): string =>
  `${kind} ${namespace}/${name}`;

/** By code points, whatever the machine's language: what is hashed has one order. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/**
 * "2026-03-03T12:00:00Z", "2026-03-03 12:00 UTC", "Tue 2026-03-03 13:00 Europe/Berlin (UTC+01:00)": instants, since each says its offset. A weekday goes
 * with its time: it may be another one elsewhere. Names that contain a time are left alone.
 */
const TIME =
  /(?<![\w^|/.:-])(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:(?:Z| UTC)(?![\w>+]|-\d)| [A-Za-z]+(?:\/[\w+-]+){1,2} \(UTC([+-]\d\d:\d\d)\))/g;

/** Code is for copying. */
const CODE = /(```[^]*?```|`[^`\n]*`)/;

/** The text with each time as `say` says it, but for those in code. `iso`: in UTC. */
export function replaceTimes(text: string, say: (iso: string) => string): string {
  return text
    .split(CODE)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(TIME, (whole, day: string, time: string, offset: string | undefined) => {
            const ms = Date.parse(`${day}T${time}${offset ?? 'Z'}`);
            return Number.isNaN(ms) ? whole : say(new Date(ms).toISOString());
          }),
    )
    .join('');
}

/** "2026-03-03 09:12:05 UTC": a form that readers' own zones replace. */
export const utcSecond = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** "2026-11-29 09:12 UTC", likewise. `iso`: in UTC. */
export const utcMinute = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

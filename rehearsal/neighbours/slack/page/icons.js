/** Emoji as drawings of the page's own: they look the same everywhere, also where no emoji font is installed. */

const white = 'fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"';
const line = (color, width = 1.8) => `fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"`;
const disc = (color, inner) => `<circle cx="10" cy="10" r="8.5" fill="${color}"/>${inner}`;
const box = (color, inner) => `<rect x="1.5" y="1.5" width="17" height="17" rx="4.5" fill="${color}"/>${inner}`;

const GREEN = '#1f9d68';
const BLUE = '#3d6fe0';
const GREY = '#8a94a6';
const RED = '#d6434f';
const AMBER = '#e0972b';
const INK = '#52607a';

const HOURGLASS = `<path d="M5 2.5h10M5 17.5h10" ${line(INK)}/><path d="M6.2 3v2.4c0 2 3.8 3.2 3.8 4.6s-3.800 2.600-3.800 4.600V17h7.600v-2.400c0-2-3.800-3.200-3.800-4.600s3.800-2.600 3.800-4.600V3z" fill="#fff3da" stroke="${AMBER}" stroke-width="1.3" stroke-linejoin="round"/><path d="M7.300 16.400c0-1.600 1.600-2.200 2.700-2.800 1.100.6 2.700 1.200 2.700 2.800zM8 6h4c-.4.8-1.200 1.300-2 1.800C9.200 7.300 8.400 6.800 8 6z" fill="${AMBER}"/>`;

const DRAWINGS = {
  check: box(GREEN, `<path d="M5.600 10.400l3 3 5.800-6.600" ${white}/>`),
  hourglass: HOURGLASS,
  play: disc(BLUE, '<path d="M8 6.300v7.400l6-3.700z" fill="#fff"/>'),
  ring: `<circle cx="10" cy="10" r="6.800" ${line('#b4bccb')}/>`,
  dot: `<circle cx="10" cy="10" r="6" fill="${BLUE}"/>`,
  green: disc(GREEN, ''),
  yellow: disc('#e8c33a', ''),
  orange: disc('#e0792b', ''),
  red: disc(RED, ''),
  skip: disc(
    GREY,
    '<path d="M5.500 6.500v7l4.500-3.500zM10 6.500v7l4.500-3.500z" fill="#fff"/><path d="M15 6.500v7" stroke="#fff" stroke-width="1.600"/>',
  ),
  cross: disc(RED, `<path d="M7 7l6 6M13 7l-6 6" ${white}/>`),
  stop: disc(GREY, '<rect x="6.700" y="6.700" width="6.600" height="6.600" rx="1.200" fill="#fff"/>'),
  pause: disc(AMBER, '<path d="M8 6.500v7M12 6.500v7" stroke="#fff" stroke-width="2.200" stroke-linecap="round"/>'),
  search: `<circle cx="8.500" cy="8.500" r="5" fill="#e8eefc" stroke="${BLUE}" stroke-width="1.800"/><path d="M12.300 12.300l5 5" ${line(INK, 2.2)}/>`,
  noentry: disc(RED, '<rect x="4.800" y="8.600" width="10.400" height="2.800" rx="1" fill="#fff"/>'),
  snow: `<path d="M10 1.800v16.400M2.900 5.900l14.200 8.200M17.100 5.900L2.900 14.100M7.800 3.200L10 5.200l2.200-2M7.800 16.800l2.200-2 2.200 2M3 9l2.800-1-.6-2.900M17 11l-2.800 1 .6 2.900M17 9l-2.800-1 .6-2.900M3 11l2.800 1-.6 2.900" ${line('#3b9bd9', 1.4)}/>`,
  turtle: `<path d="M3 13c0-4 2.800-6.500 6.300-6.500s6 2.500 6 6.500z" fill="${GREEN}"/><circle cx="16.300" cy="10.800" r="2" fill="#6cc79d"/><path d="M5 13v2M12.500 13v2" ${line('#6cc79d', 2.2)}/>`,
  sun: `<circle cx="10" cy="10" r="4" fill="${AMBER}"/><path d="M10 1.800v2M10 16.200v2M1.800 10h2M16.200 10h2M4.200 4.200l1.400 1.400M14.400 14.400l1.400 1.400M15.800 4.200l-1.400 1.400M5.600 14.400l-1.400 1.400" ${line(AMBER)}/>`,
  siren: `<path d="M5.500 14.500v-4a4.500 4.500 0 0 1 9 0v4z" fill="${RED}"/><rect x="3.500" y="14.500" width="13" height="3" rx="1" fill="${INK}"/><path d="M10 1.500v2M3.200 4.500l1.400 1.300M16.800 4.500l-1.400 1.300" ${line(RED)}/>`,
  back: `<path d="M7.500 4.500L3.500 8.500l4 4M4 8.500h8a4 4 0 0 1 0 8H8" ${line(INK, 1.9)}/>`,
  octagon: `<path d="M6.500 1.800h7l4.700 4.700v7l-4.700 4.700h-7l-4.700-4.700v-7z" fill="${RED}"/><path d="M10 5.500v6" ${white}/><circle cx="10" cy="14.300" r="1.200" fill="#fff"/>`,
  clock: `<circle cx="10" cy="10.500" r="7" fill="#fff" stroke="${INK}" stroke-width="1.700"/><path d="M10 6.500v4l2.700 1.800" ${line(INK, 1.6)}/>`,
  info: disc(
    BLUE,
    '<path d="M10 9v5" stroke="#fff" stroke-width="2" stroke-linecap="round"/><circle cx="10" cy="6.200" r="1.200" fill="#fff"/>',
  ),
  warning: `<path d="M8.700 2.800a1.500 1.500 0 0 1 2.600 0l7 12.400a1.500 1.500 0 0 1-1.300 2.300H3a1.500 1.500 0 0 1-1.300-2.300z" fill="${AMBER}"/><path d="M10 7.300v4.400" ${white}/><circle cx="10" cy="14.600" r="1.200" fill="#fff"/>`,
  lock: `<path d="M6.500 9V6.500a3.500 3.500 0 0 1 7 0V9" ${line(INK)}/><rect x="4" y="8.700" width="12" height="9" rx="2" fill="${AMBER}"/><circle cx="10" cy="13" r="1.500" fill="#fff"/>`,
  unlock: `<path d="M6.500 9V5.500a3.500 3.500 0 0 1 6.800-1.200" ${line(INK)}/><rect x="4" y="8.700" width="12" height="9" rx="2" fill="${GREY}"/><circle cx="10" cy="13" r="1.500" fill="#fff"/>`,
  question: disc(
    GREY,
    `<path d="M7.800 7.800a2.200 2.200 0 1 1 3.300 1.900c-.8.500-1.100.9-1.100 1.800" ${white}/><circle cx="10" cy="14.200" r="1.100" fill="#fff"/>`,
  ),
  rocket: `<path d="M10 1.500c3 2.200 4 5.200 4 8.500l-1.500 4h-5L6 10c0-3.300 1-6.300 4-8.500z" fill="${BLUE}"/><circle cx="10" cy="7.500" r="1.700" fill="#fff"/><path d="M6 9.500L3.500 13l3-.5M14 9.500l2.500 3.500-3-.5" fill="${RED}"/><path d="M8.500 15c.3 1.600.8 2.500 1.500 3.500.7-1 1.200-1.900 1.500-3.500z" fill="${AMBER}"/>`,
  bell: `<path d="M4 14.500c1.300-1.200 1.500-2.500 1.500-5a4.500 4.500 0 0 1 9 0c0 2.500.2 3.800 1.500 5z" fill="${AMBER}"/><path d="M8.300 16.500a1.800 1.800 0 0 0 3.400 0" ${line(INK, 1.6)}/>`,
  memo: `<rect x="4" y="2" width="12" height="16" rx="2" fill="#fff" stroke="${INK}" stroke-width="1.500"/><path d="M7 6.500h6M7 10h6M7 13.500h4" ${line(BLUE, 1.5)}/>`,
  link: `<path d="M8.500 11.500a3 3 0 0 0 4.300 0l2.700-2.700a3 3 0 0 0-4.300-4.300l-1 1M11.500 8.500a3 3 0 0 0-4.300 0l-2.700 2.700a3 3 0 0 0 4.300 4.300l1-1" ${line(BLUE, 1.7)}/>`,
  party: `<path d="M3 17.500L7 7l6 6z" fill="${AMBER}"/><path d="M11 3.500l.5 2.500M15 6l-2.500 2M17 11l-2.500-.5" ${line(RED, 1.6)}/><circle cx="14.500" cy="3" r="1" fill="${BLUE}"/><circle cx="17.500" cy="7.500" r="1" fill="${GREEN}"/>`,
  eyes: '<ellipse cx="6" cy="10" rx="3.600" ry="5" fill="#fff" stroke="#52607a" stroke-width="1.300"/><ellipse cx="14" cy="10" rx="3.600" ry="5" fill="#fff" stroke="#52607a" stroke-width="1.300"/><circle cx="7" cy="11" r="1.700" fill="#33415c"/><circle cx="15" cy="11" r="1.700" fill="#33415c"/>',
  repeat: `<path d="M4 9a6 6 0 0 1 10.500-3.500L16 7M16 3.500V7h-3.500M16 11a6 6 0 0 1-10.500 3.500L4 13M4 16.500V13h3.500" ${line(BLUE, 1.7)}/>`,
};

/** Slack's names and the characters themselves. */
const ALIASES = {
  check: ['white_check_mark', 'heavy_check_mark', 'ballot_box_with_check', '✅', '☑', '✔'],
  hourglass: ['hourglass_flowing_sand', 'hourglass', '⏳', '⌛'],
  play: ['arrow_forward', '▶'],
  ring: ['white_circle', 'o', '○', '⚪'],
  dot: ['large_blue_circle', 'black_circle', '●', '🔵'],
  green: ['large_green_circle', '🟢'],
  yellow: ['large_yellow_circle', '🟡'],
  orange: ['large_orange_circle', '🟠'],
  red: ['red_circle', '🔴'],
  skip: ['black_right_pointing_double_triangle_with_vertical_bar', 'next_track_button', 'fast_forward', '⏭', '⏩'],
  cross: ['x', 'negative_squared_cross_mark', '❌', '✖'],
  stop: ['black_square_for_stop', 'stop_button', '⏹'],
  pause: ['double_vertical_bar', 'pause_button', '⏸'],
  search: ['mag', 'mag_right', '🔎', '🔍'],
  noentry: ['no_entry', 'no_entry_sign', '🚫', '⛔'],
  snow: ['snowflake', 'ice_cube', '❄', '🧊'],
  turtle: ['turtle', '🐢'],
  sun: ['sunny', '☀'],
  siren: ['rotating_light', '🚨'],
  back: ['leftwards_arrow_with_hook', 'rewind', '↩', '⏪'],
  octagon: ['octagonal_sign', '🛑'],
  clock: ['alarm_clock', 'stopwatch', 'clock1', 'clock3', '⏰', '⏱', '🕐'],
  info: ['information_source', 'ℹ'],
  warning: ['warning', '⚠'],
  lock: ['lock', 'closed_lock_with_key', '🔒', '🔐'],
  unlock: ['unlock', '🔓'],
  question: ['grey_question', 'question', '❔', '❓'],
  rocket: ['rocket', '🚀'],
  bell: ['bell', '🔔'],
  memo: ['memo', 'clipboard', 'page_facing_up', '📝', '📋'],
  link: ['link', '🔗'],
  party: ['tada', '🎉'],
  eyes: ['eyes', '👀'],
  repeat: ['repeat', 'arrows_counterclockwise', '🔁', '🔄'],
};

/** Names without a drawing are shown as the character. */
export const CHARACTERS = {
  '+1': '👍',
  thumbsup: '👍',
  '-1': '👎',
  thumbsdown: '👎',
  wave: '👋',
  hand: '✋',
  raised_hand: '✋',
  fire: '🔥',
  point_right: '👉',
  point_up: '☝',
  zzz: '💤',
  heart: '❤',
  bulb: '💡',
  wrench: '🔧',
  hammer_and_wrench: '🛠',
  construction: '🚧',
  globe_with_meridians: '🌐',
  package: '📦',
  chart_with_upwards_trend: '📈',
  arrow_right: '→',
  arrow_up: '↑',
  arrow_down: '↓',
};

const BY_ALIAS = new Map(Object.entries(ALIASES).flatMap(([drawing, names]) => names.map((name) => [name, drawing])));

/** The drawing for an emoji's name or character; undefined: there is none. */
export function drawingOf(alias) {
  const drawing = BY_ALIAS.get(alias);
  return drawing === undefined ? undefined : DRAWINGS[drawing];
}

/** Characters that are drawn, for the parser. */
export const DRAWN_CHARACTERS = [...BY_ALIAS.keys()].filter((name) => !/^[a-z0-9_+-]+$/.test(name));

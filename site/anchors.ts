/** Anchors of headings as GitHub makes them, so that one link leads to the same place there and on the site. */

/** Of a heading's text: "What is real?" is `what-is-real`. The second of the same name gets `-1`, by whoever counts them. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/** Contrast as people see it: each text's computed colour over the background that is really behind it. */
import type { Page } from 'playwright-core';

/** WCAG 2.2, 1.4.3, level AA, for text of any size. */
const LEAST_RATIO = 4.5;

export interface FaintText {
  text: string;
  ratio: number;
}

/** Texts in sight that are too faint. */
export async function faintTexts(page: Page): Promise<FaintText[]> {
  return await page.evaluate<FaintText[]>(`(${IN_PAGE})(${LEAST_RATIO})`);
}

/** Runs in the page, which knows no TypeScript. The formulas are those of WCAG 2.2, "relative luminance" and "contrast ratio". */
const IN_PAGE = `(least) => {
  const parse = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) => {
    const [red, green, blue] = [r, g, b].map((each) => (each / 255 <= 0.04045 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ratioOf = (one, other) => {
    const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const faint = [];
  const look = (element, colour, text) => {
    const ratio = ratioOf(parse(colour), behind(element));
    if (ratio < least) faint.push({ text, ratio });
  };
  for (const element of document.body.querySelectorAll('*')) {
    if (!element.checkVisibility() || ['SCRIPT', 'OPTION'].includes(element.tagName)) continue;
    const style = getComputedStyle(element);
    const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
    if (own.length > 0) look(element, element instanceof SVGElement ? style.fill : style.color, own[0].data.trim());
    if (element.placeholder) look(element, getComputedStyle(element, '::placeholder').color, element.placeholder);
  }
  return faint;
}`;

/** The list of faults for a terminal. */
import { FAULT_ALIASES, FAULTS } from './catalogue/catalogue.ts';

/** Two columns; short names at the end. */
export function faultsHelp(): string {
  const rows = FAULTS.map(({ name, value, at, happens }) => {
    const full = `${name}${value === undefined ? '' : `=${value.default}`}${at === undefined ? '' : `@${at}`}`;
    return `  ${full.padEnd(56)} ${happens}`;
  });
  const short = Object.entries(FAULT_ALIASES).map(([alias, full]) => `  ${alias.padEnd(56)} short for ${full}`);
  return ['', 'Faults, with their usual value and moment (AREA:WHAT[=VALUE][@MOMENT]):', ...rows, ...short].join('\n');
}

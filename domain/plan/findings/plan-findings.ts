/** All findings of a plan, unknown ones first. */
import type { Finding } from '../../core/findings.ts';
import { componentFindings } from './components.ts';
import type { FindingContext } from './finding.ts';
import { nodeFindings } from './nodes.ts';
import { unknownFindings } from './unknowns.ts';

export function planFindings(context: FindingContext): Finding[] {
  return [...unknownFindings(context), ...componentFindings(context), ...nodeFindings(context)];
}

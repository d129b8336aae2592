/** Examples of cli/messages/mcp.ts. */
import type * as mcp from '../../../cli/messages/mcp.ts';
import type { Examples } from './examples.ts';

export const mcpExamples: Examples<typeof mcp> = {
  untrusted: [[]],
  readOnly: [[]],
  noSuchTool: [['start', ['check', 'plan']]],
  wrongInput: [['plan', ['target: "latest" is not valid; write a Kubernetes minor in quotes, such as "1.34"']]],
  targetMissing: [['prod', 'belay.yaml']],
  writeACheck: [[]],
  textCut: [[60_000, 81_234]],
  dataShortened: [[50]],
  dataLeftOut: [[]],
  toolRuns: [['plan']],
  toolFailed: [['plan', 'reading cluster prod: AWS credentials are missing']],
};

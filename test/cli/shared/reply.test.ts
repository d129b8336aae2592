/** What a command line says of a refusal. */
import { expect, test } from 'vitest';
import { printReply } from '../../../cli/shared/context.ts';
import { EXIT } from '../../../cli/shared/errors.ts';
import { parseConfig } from '../../../worker/config/config.ts';

const PEOPLE = `people:
  U0SAM: { aws: [arn:aws:iam::111122223333:role/Sam] }
`;
const config = (people: string) =>
  parseConfig(
    `${people}clusters:
  prod: { account: "111122223333", region: eu-central-1 }
`,
    'belay.yaml',
  );
const NO = 'You are not among the approvers of this cluster (approvals in belay.yaml).';

test.each([
  [PEOPLE, undefined, NO],
  [
    PEOPLE,
    { users: ['U0SAM', 'U0RIN'], groups: ['S0PLATFORM'] },
    `${NO} These people may: members of Slack user group S0PLATFORM, U0SAM (arn:aws:sts::111122223333:assumed-role/Sam/*), U0RIN.`,
  ],
  ['', { users: ['U0SAM'], groups: [] }, `${NO} These people may: U0SAM.`],
])('U8: a refusal on the command line names who may, with their AWS identities', (people, ask, message) => {
  const refused = { reply: { accepted: false, message: NO, ask }, how: 'answered' as const };
  expect(() => printReply(refused, config(people))).toThrow(expect.objectContaining({ message, exitCode: EXIT.refused }));
});

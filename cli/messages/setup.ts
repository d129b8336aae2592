/** What commands say that set something up: belay.yaml, keys, rights, processes. */
import { count } from '../../domain/core/text.ts';

export const noClusterFound = (region: string): string =>
  `No EKS cluster found in ${region} with these credentials. Try another --region or AWS_PROFILE.`;

export const configWritten = (file: string, clusters: readonly string[]): string =>
  `${file} names ${count(clusters.length, 'cluster')}: ${clusters.join(', ')}.`;

export const afterInit = (): string => 'Next: add approvers and a Slack channel to it (without Slack: people), then run "belay doctor".';

/** `line`: the variable with the private key. */
export const keepPrivateKey = (line: string): string =>
  `Set this in the environment of "belay slack", and nowhere else. It is shown only once and not stored:\n${line}`;

export const privateKeyIn = (file: string): string => `BELAY_SIGNING_KEY is in ${file}. Only "belay slack" may have it.`;

/** Where the private key is `file`, it was written there. */
export const privateKeyHeading = (file: string | undefined): string =>
  `# 1. Private: set it in the environment of "belay slack", and nowhere else${file === undefined ? '' : ` (written to ${file})`}.`;

export const publicKeyHeading = (): string =>
  '\n# 2. Public: add it to the belay.yaml that workers read. Keep the old key there until no message signed with it is under way.';

export const signingKeyMissing = (): string => 'BELAY_SIGNING_KEY is not set here; make a key with "belay signing-key".';

export const slackUnsigned = (): string =>
  'BELAY_SIGNING_KEY is not set: workers refuse every start, decision and command from this process, because nothing proves who sent it. Run "belay signing-key", and set both lines that it prints.';

/** `why`: what is there without what. */
export const slackIsHalf = ({ why, fix }: { why: string; fix: string }): string => `${why}: ${fix}.`;

export const slackNotUsed = (file: string): string =>
  `${file} names no Slack channel, so "belay slack" has nothing to do: write slack.channel, or run only the worker.`;

export const slackNotConnected = (): string => 'This process is not connected to Slack.';

export const decoding = (ui: string, address: string): string =>
  `Decoding for ${ui}. In Temporal UI, set the codec server endpoint to ${address}`;

export const noPassRoleForAddOns = (): string =>
  'No iam:PassRole for add-ons: if an add-on has its own role, name that role with --add-on-role.';

export const noPassRoleForNodes = (): string =>
  'No iam:PassRole for nodes: if a launch template names an instance profile, name its role with --node-role.';

/** The form of `/eks-upgrade`: cluster, target, when nodes are replaced, what stands in the way, plan or start. */
import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import type { Target } from '../../domain/run/fleet.ts';
import type { ReadinessSummary } from '../../domain/readiness/summary.ts';
import { readinessBlocks } from '../blocks/check.ts';
import { context, type Rendered, sections } from '../blocks/kit/elements.ts';
import { supportWords } from '../blocks/support.ts';
import { LIMITS, mrkdwn } from '../blocks/kit/text.ts';
import type { FormMetadata } from '../blocks/kit/button-values.ts';
import { input, option, select } from './fields.ts';
import { NODE_STRATEGIES, type NodeStrategy } from '../../domain/policy/policy.ts';
import {
  checkingReadiness,
  dryRunOption,
  moreClusters,
  noClusterChosen,
  nodesAsConfigured,
  noNewerVersion,
  nothingBeforeApproval,
  readinessUnknown,
  readingVersion,
  runsVersion,
  upgradeTitle,
  versionsNotReadYet,
} from '../messages/forms.ts';

export const UPGRADE_CALLBACK = 'upgrade-form';
export const FORM_ACTIONS = { cluster: 'form/cluster', target: 'form/target' } as const;
const BLOCKS = { cluster: 'cluster', target: 'target', strategy: 'strategy', dryRun: 'dry-run' } as const;
const INPUT = 'input';
const FINDINGS = 3;

export type Loading<T> = { kind: 'reading' } | { kind: 'failed'; why: string } | { kind: 'read'; value: T };

export interface UpgradeForm extends Pick<FormMetadata, 'place'> {
  /** Names of belay.yaml. */
  clusters: readonly string[];
  cluster?: string;
  /** Of the cluster, once one is chosen. */
  versions?: Loading<NonNullable<FormMetadata['read']>>;
  target?: string;
  /** For the target, once one is chosen. */
  readiness?: Loading<ReadinessSummary>;
}

const STRATEGIES: Record<NodeStrategy, string> = {
  'every-hop': 'Replace nodes after every minor',
  'once-at-the-end': 'Replace nodes once, at the end',
};

export function upgradeView(form: UpgradeForm): ModalView {
  const { place, cluster, versions } = form;
  const metadata: FormMetadata = { place, cluster, ...(versions?.kind === 'read' ? { read: versions.value } : {}) };
  return {
    type: 'modal',
    callback_id: UPGRADE_CALLBACK,
    private_metadata: fitting(metadata),
    title: { type: 'plain_text', text: upgradeTitle() },
    submit: { type: 'plain_text', text: 'Continue' },
    close: { type: 'plain_text', text: 'Cancel' },
    blocks: [
      clusterBlock(form),
      ...targetBlocks(form),
      ...readiness(form),
      strategyBlock(),
      dryRunBlock(),
      ...context([nothingBeforeApproval()]),
    ],
  };
}

/** The form's place taken by what came of it. */
export function resultView({ text, blocks }: Rendered, title = upgradeTitle()): ModalView {
  return {
    type: 'modal',
    callback_id: 'upgrade-result',
    title: { type: 'plain_text', text: title },
    close: { type: 'plain_text', text: 'Close' },
    blocks: blocks.length === 0 ? sections(text.split('\n'), 2) : blocks.slice(0, LIMITS.modalBlocks),
  };
}

function clusterBlock({ clusters, cluster }: UpgradeForm): InputBlock {
  const shown = clusters.filter((name) => name.length <= LIMITS.optionValue).slice(0, LIMITS.options);
  const element = select(
    FORM_ACTIONS.cluster,
    'Choose a cluster',
    shown.map((name) => option(name, name)),
    cluster,
  );
  const hint = shown.length < clusters.length ? moreClusters(clusters.length - shown.length) : undefined;
  return input(BLOCKS.cluster, 'Cluster', element, { dispatch: true, hint });
}

function targetBlocks({ cluster, versions, target }: UpgradeForm): KnownBlock[] {
  if (cluster === undefined || versions === undefined) return [];
  switch (versions.kind) {
    case 'reading':
      return context([readingVersion(mrkdwn(cluster, 100))]);
    case 'failed':
      return sections([`⚠ ${mrkdwn(versions.why, 500)}`]);
    case 'read': {
      const { version, readAt, targets } = versions.value;
      if (targets.length === 0) return sections([noNewerVersion(mrkdwn(cluster, 100), mrkdwn(version, 20))]);
      const options = targets.map((each) => option(each.minor, targetLabel(each, readAt)));
      // Of this cluster alone: what was chosen for another one is no answer here.
      return [
        input(`${BLOCKS.target}/${cluster}`, 'Target', select(FORM_ACTIONS.target, 'Choose a version', options, target), {
          dispatch: true,
          hint: runsVersion(version),
        }),
      ];
    }
  }
}

function targetLabel(target: Target, at: string): string {
  return `${target.minor} · ${supportWords(target, at)}`;
}

function readiness({ cluster, target, readiness: state }: UpgradeForm): KnownBlock[] {
  if (state === undefined) return [];
  switch (state.kind) {
    case 'reading':
      return context([checkingReadiness(mrkdwn(cluster ?? '', 100), mrkdwn(target ?? '', 20))]);
    case 'failed':
      return context([readinessUnknown(mrkdwn(state.why, 500))]);
    case 'read':
      return readinessBlocks(state.value, FINDINGS);
  }
}

function strategyBlock(): InputBlock {
  const options = NODE_STRATEGIES.map((strategy) => option(strategy, STRATEGIES[strategy]));
  return input(BLOCKS.strategy, 'Nodes', select(INPUT, nodesAsConfigured(), options, undefined), { optional: true });
}

function dryRunBlock(): InputBlock {
  const options = [option('yes', dryRunOption())];
  return input(BLOCKS.dryRun, 'Dry run', { type: 'checkboxes', action_id: INPUT, options }, { optional: true });
}

/** What was read goes first where it would be too long: it can be read again. */
function fitting(metadata: FormMetadata): string {
  const json = JSON.stringify(metadata);
  return json.length <= LIMITS.privateMetadata ? json : JSON.stringify({ place: metadata.place, cluster: metadata.cluster });
}

/** What a person has filled in. */
export interface Filled {
  cluster?: string;
  target?: string;
  strategy?: NodeStrategy;
  dryRun: boolean;
}

type Values = Record<
  string,
  Record<string, { selected_option?: { value?: string } | null; selected_options?: { value?: string }[] | null }>
>;

export function filledOf(values: Values): Filled {
  const cluster = values[BLOCKS.cluster]?.[FORM_ACTIONS.cluster]?.selected_option?.value;
  const strategy = values[BLOCKS.strategy]?.[INPUT]?.selected_option?.value;
  return {
    cluster,
    target: values[`${BLOCKS.target}/${cluster}`]?.[FORM_ACTIONS.target]?.selected_option?.value,
    strategy: NODE_STRATEGIES.find((known) => known === strategy),
    dryRun: (values[BLOCKS.dryRun]?.[INPUT]?.selected_options ?? []).some(({ value }) => value === 'yes'),
  };
}

/** What Slack shows below a field; undefined: all that is needed is there. */
export function missingOf({ cluster, target }: Filled): Record<string, string> | undefined {
  if (cluster === undefined) return { [BLOCKS.cluster]: noClusterChosen() };
  // Without a target its field is not there yet, so the message stands below the cluster.
  return target === undefined ? { [BLOCKS.cluster]: versionsNotReadYet() } : undefined;
}

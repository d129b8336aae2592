/** The message of equal gates: how many, what can be undone, who has dropped out, and one button for all of them. */
import { type BundleView, SHOWN_VERDICTS } from '../../../domain/run/campaign/bundles.ts';
import { someOf } from '../../../domain/core/text.ts';
import { actions, button, context, header, message, type Rendered, sections } from '../kit/elements.ts';
import { mrkdwn } from '../kit/text.ts';
import { when } from '../kit/time.ts';
import type { BundleValue } from '../kit/button-values.ts';
import { approveAll, bundleAsks, bundleClosed, bundleOver, bundleTerms, bundleTitle, showList } from '../../messages/bundles.ts';
import { undoText } from '../gate-body.ts';

export const BUNDLE_ACTIONS = { approve: 'bundle/approve', list: 'bundle/list', back: 'bundle/page/back', on: 'bundle/page/on' } as const;

export function bundleBlocks(view: BundleView): Rendered {
  const { id, campaign, ring, step, clusterCount, names, dropped, closed } = view;
  const dropLines = dropped.map((line) => mrkdwn(line, 250));
  if (closed === true) {
    const title = bundleClosed(step);
    return message(mrkdwn(title, 200), [header(`☑ ${title}`), ...sections(dropLines), ...context([bundleOver()])]);
  }
  const title = bundleTitle(step, clusterCount);
  const value: BundleValue = { campaign, bundle: id };
  const buttons = [
    button({ actionId: BUNDLE_ACTIONS.approve, label: approveAll(clusterCount), value, style: 'primary' }),
    button({ actionId: BUNDLE_ACTIONS.list, label: showList(), value }),
  ].filter((each) => each !== undefined);
  const more = clusterCount > names.length ? [...names, ...Array.from({ length: clusterCount - names.length }, () => '')] : names;
  return message(mrkdwn(title, 200), [
    header(`⏳ ${title}`),
    ...sections([bundleAsks(mrkdwn(ring, 60), clusterCount), mrkdwn(someOf(more, names.length), 600), ...dropLines]),
    ...context(bundleSmall(view)),
    ...actions(buttons),
  ]);
}

/** Below the names, in the message and in the list: what can be undone, what was found, who is needed, and by when. */
export const bundleSmall = ({ undo, verdict, rules, decideBy }: Pick<BundleView, 'undo' | 'verdict' | 'rules' | 'decideBy'>): string[] => [
  undoText(undo),
  bundleTerms(SHOWN_VERDICTS[verdict], mrkdwn(rules, 200), decideBy === undefined ? undefined : when(decideBy)),
];

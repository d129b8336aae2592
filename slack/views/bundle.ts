/** The list of equal gates, page by page: to be read, and where it was opened for that, to be approved. */
import type { ModalView } from '@slack/types';
import type { Bundle } from '../../domain/run/campaign/bundles.ts';
import { BUNDLE_ACTIONS, bundleSmall } from '../blocks/campaigns/bundle.ts';
import type { BundleMetadata } from '../blocks/kit/button-values.ts';
import { actions, button, context, header, type Rendered, sections } from '../blocks/kit/elements.ts';
import { LIMITS, mrkdwn, plain } from '../blocks/kit/text.ts';
import {
  approvalMeans,
  approveAll,
  bundleAsks,
  bundleListTitle,
  bundleTitle,
  pageBack,
  pageOf,
  pageOn,
  readingBundle,
} from '../messages/bundles.ts';

export const BUNDLE_CALLBACK = 'bundle-approve';
const PAGE_SIZE = 40;

/** Words in the place of the list. */
export function bundleWords({ text, blocks }: Rendered): ModalView {
  return {
    type: 'modal',
    callback_id: 'bundle-words',
    title: { type: 'plain_text', text: bundleListTitle() },
    close: { type: 'plain_text', text: 'Close' },
    blocks: blocks.length === 0 ? sections(text.split('\n'), 2) : blocks.slice(0, LIMITS.modalBlocks),
  };
}

export const bundleReading = (): ModalView => bundleWords({ text: readingBundle(), blocks: [] });

export function bundleList(bundle: Bundle, metadata: BundleMetadata): ModalView {
  const { members, ring, step } = bundle;
  const pages = Math.max(1, Math.ceil(members.length / PAGE_SIZE));
  const page = Math.min(Math.max(metadata.page, 1), pages);
  const lines = members
    .slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
    .map(({ cluster, title }) => `*${mrkdwn(cluster.name, 100)}* ${mrkdwn(title, 150)}`);
  const turn = (to: number, actionId: string, label: string) =>
    to < 1 || to > pages ? [] : [button({ actionId, label, value: { ...metadata, page: to } })].filter((each) => each !== undefined);
  return {
    type: 'modal',
    callback_id: BUNDLE_CALLBACK,
    private_metadata: JSON.stringify({ ...metadata, page }),
    title: { type: 'plain_text', text: bundleListTitle() },
    close: { type: 'plain_text', text: metadata.asks ? 'Cancel' : 'Close' },
    ...(metadata.asks ? { submit: { type: 'plain_text' as const, text: plain(approveAll(members.length), LIMITS.modalButton) } } : {}),
    blocks: [
      header(bundleTitle(step, members.length)),
      ...sections([bundleAsks(mrkdwn(ring, 60), members.length), ...(metadata.asks ? [approvalMeans(members.length)] : [])]),
      ...context(bundleSmall(bundle)),
      ...sections(lines, 4),
      ...(pages === 1 ? [] : context([pageOf(page, pages)])),
      ...actions([...turn(page - 1, BUNDLE_ACTIONS.back, pageBack()), ...turn(page + 1, BUNDLE_ACTIONS.on, pageOn())]),
    ],
  };
}

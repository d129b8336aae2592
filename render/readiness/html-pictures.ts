/** The two pictures of the HTML report, as SVG in the page: the way of the control plane, and nodes by version. */
import type { ReadinessReport } from '../../domain/readiness/report.ts';
import { count } from '../../domain/core/text.ts';
import { escapeMarkup as text } from '../page/markup.ts';

const STOP = 90;
const ROW = 26;
const LABEL = 150;
const LONGEST_BAR = 180;

/** Minors as stops on a line, the first one where the control plane is now. */
export function hopPicture({ from, hops }: ReadinessReport): string {
  const stops = [from, ...hops];
  const width = STOP * stops.length;
  const drawn = stops.map((minor, index) => {
    const x = STOP / 2 + index * STOP;
    const line = index === 0 ? '' : `<line x1="${x - STOP + 12}" y1="20" x2="${x - 12}" y2="20"/>`;
    const part = index === 0 ? 'now' : index === hops.length ? 'target' : `hop ${index}`;
    return `${line}<circle cx="${x}" cy="20" r="10"${index === 0 ? ' class="now"' : ''}/><text x="${x}" y="50">${text(minor)}</text><text x="${x}" y="68" class="part">${part}</text>`;
  });
  return `<figure><figcaption>${count(hops.length, 'hop')} of the control plane</figcaption><svg viewBox="0 0 ${width} 74" width="${width}" role="img" aria-label="Hops of the control plane: ${text(stops.join(', '))}">${drawn.join('')}</svg></figure>`;
}

/** Nodes by kubelet version, a bar for each owner. */
export function nodePicture({ nodes = [] }: ReadinessReport): string {
  if (nodes.length === 0) return '<figure><figcaption>Nodes could not be read.</figcaption></figure>';
  const most = Math.max(...nodes.map((each) => each.count));
  const rows = nodes.map(({ minor, owner, count: own }, index) => {
    const y = index * ROW;
    const length = Math.max(2, (own / most) * LONGEST_BAR);
    return `<text x="0" y="${y + 17}" class="label">${text(minor)} ${text(owner)}</text><rect x="${LABEL}" y="${y + 4}" width="${length}" height="16" rx="3"/><text x="${LABEL + 6 + length}" y="${y + 17}" class="label">${own}</text>`;
  });
  const height = nodes.length * ROW;
  const spoken = nodes.map(({ minor, owner, count: own }) => `${own} ${owner} at ${minor}`).join(', ');
  return `<figure><figcaption>Nodes by kubelet version and owner</figcaption><svg viewBox="0 0 380 ${height}" width="380" role="img" aria-label="Nodes: ${text(spoken)}">${rows.join('')}</svg></figure>`;
}

/** Who is who on the page: names, colours, initials, and the switch of the person one plays. */
import { el, svg } from './dom.js';

const COLOURS = ['#5b6ee1', '#1f9d8b', '#c2578c', '#a8743a', '#6a7a8c'];
const LOGO =
  '<rect x="5.500" y="2.700" width="9" height="14.600" rx="4.500" fill="none" stroke="#f4a259" stroke-width="2.300"/><path d="M14.500 7v5.500" stroke="#fff" stroke-width="2.300" stroke-linecap="round"/>';

/** A picture of a person: initials; the app has its logo. */
export function avatar(user, workspace) {
  if (user === workspace.app.userId) return svg(LOGO, { class: 'avatar app', 'aria-hidden': 'true' });
  const index = workspace.people.findIndex(({ id }) => id === user);
  const initials = (workspace.people[index]?.realName ?? 'S')
    .split(' ')
    .map((word) => word[0])
    .join('');
  return el('span', { class: 'avatar', style: `background:${COLOURS[index] ?? '#4a154b'}`, 'aria-hidden': 'true' }, initials.slice(0, 2));
}

export function nameOf(user, workspace) {
  if (user === workspace.app.userId) return workspace.app.name;
  return workspace.people.find(({ id }) => id === user)?.realName ?? 'Slack';
}

/** Fills the switch; `choose` is called with a user id. */
export function showPeople(holder, workspace, me, choose) {
  holder.replaceChildren(
    el('span', { class: 'label' }, 'You are'),
    ...workspace.people.map((person) =>
      el(
        'button',
        {
          type: 'button',
          role: 'radio',
          'aria-checked': String(person.id === me),
          'data-user': person.id,
          title: `${person.realName}: ${person.role}`,
          onclick: () => choose(person.id),
        },
        avatar(person.id, workspace),
        el('span', { class: 'name' }, person.realName.split(' ')[0]),
      ),
    ),
  );
}

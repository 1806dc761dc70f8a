// How the columns of a file are understood. The import decides; these are its rules, so that a file can be looked at before.

import { unguarded } from './csv.js';

/** The names of columns by field, the best ones first: our own, then those of Outlook, Google Contacts and Mailchimp. */
const NAMES = {
  email: [
    'email', 'email address', 'email-adresse', 'email 1 - value', 'mail', 'email 2 address', 'email 3 address', 'email 2: adresse',
    'email 3: adresse', 'email 2 - value', 'email 3 - value',
  ],
  name: ['name', 'full name', 'display name', 'file as', 'vollständiger name'],
  first_name: ['first name', 'given name', 'firstname', 'vorname'],
  middle_name: ['middle name', 'additional name', 'weitere vornamen'],
  last_name: ['last name', 'family name', 'surname', 'lastname', 'nachname', 'familienname'],
  phone: [
    'phone', 'phone number', 'telephone', 'telefon', 'telefonnummer', 'mobile phone', 'mobile', 'cell phone', 'mobiltelefon', 'handy',
    'phone 1 - value', 'primary phone', 'haupttelefon', 'business phone', 'telefon geschäftlich', 'business phone 2',
    'telefon geschäftlich 2', 'company main phone', 'telefon firma', 'home phone', 'telefon (privat)', 'telefon privat', 'home phone 2',
    'telefon (privat 2)', 'telefon privat 2', 'other phone', 'weiteres telefon', 'phone 2 - value', 'phone 3 - value',
  ],
  company: ['company', 'company name', 'firma', 'unternehmen', 'organization name', 'organization 1 - name', 'organization', 'organisation'],
  external_id: ['external id'],
  type: ['type'],
  custom: ['custom'],
  tags: ['tags', 'labels', 'categories', 'kategorien', 'group membership'],
  custom_fields: ['custom fields'],
  marketing_consent: ['marketing consent'],
};
/** What identifies a contact. */
const KEYS = ['email', 'phone', 'external_id'];

/** Returns the name of a column in lower case, with single spaces in place of underscores, and without the hyphen of `e-mail`. */
function plain(name) {
  return name.toLowerCase().replaceAll('_', ' ').trim().replace(/\s+/g, ' ').replaceAll('e-mail', 'email');
}

export class Columns {
  /** The names of the columns, as the file has them. @type {string[]} */
  names;
  /** The name of a column that is there twice, so that the import refuses the file. @type {string | undefined} */
  twice;

  /** Positions by field, the best first. @type {Record<string, number[]>} */
  #places = {};

  /** @param {string[]} names */
  constructor(names) {
    this.names = [...names];
    while (this.names.at(-1) === '') this.names.pop();
    const known = this.names.map(plain);
    for (const [field, wanted] of Object.entries(NAMES)) {
      this.#places[field] = wanted.map(name => known.indexOf(name)).filter(place => place !== -1);
      this.twice ??= wanted.find(name => known.indexOf(name) !== known.lastIndexOf(name));
    }
  }

  /** Whether there is anything to recognize people by. */
  get hasKey() {
    return KEYS.some(field => this.#places[field].length > 0);
  }

  /**
   * Returns what a column becomes, and whether another one for the same field is better; nothing if it is not used.
   *
   * @param {number} place
   */
  targetOf(place) {
    const [field] = Object.entries(this.#places).find(([, places]) => places.includes(place)) ?? [];
    return field === undefined ? undefined : { field, isSecond: this.#places[field][0] !== place };
  }

  /**
   * Returns the contact of a row.
   *
   * @param {string[]} cells
   */
  contact(cells) {
    const value = field => this.#places[field].map(place => unguarded(cells[place] ?? '').split(' ::: ')[0].trim()).find(cell => cell !== '') ?? '';
    const parts = [value('first_name'), value('middle_name'), value('last_name')];
    const whole = value('name');
    const isFamilyName = whole !== '' && parts[0] !== '' && this.#places.last_name.length === 0 && !whole.includes(parts[0]);
    return {
      name: isFamilyName ? `${parts[0]} ${whole}` : whole || parts.filter(Boolean).join(' '),
      email: value('email'),
      phone: value('phone'),
      company: value('company'),
      external_id: value('external_id'),
    };
  }
}

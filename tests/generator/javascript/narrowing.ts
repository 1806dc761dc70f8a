// Every comparison leaves one type.

import { connect, getPet, putPet, type Pet } from './narrowing/javascript/index.js';

const api = connect({ server: 'https://pets.example' });

export async function statuses(): Promise<void> {
  const read = await getPet(api, { id: '1' }).result();
  if (read.status === 200) kinds(read.body);
  if (read.status === 429) console.log(read.body.seconds);
  if (read.status === 404) console.log(read.body.message);
  if (read.status === 503) console.log(read.body.trace);
  // @ts-expect-error: 429 has a body of its own.
  if (read.status === 429) console.log(read.body.message);
  // @ts-expect-error: nothing is known of a status that is not declared.
  if (read.status === 302) console.log(read.body.message);

  const changed = await putPet(api, { id: '1' }).result();
  if (changed.status === 201) kinds(changed.body);
  if (changed.status === 404) console.log(changed.body.message);
  if (changed.status === 503) console.log(changed.body.trace);
}

function kinds(pet: Pet): void {
  if (pet.object === 'cat') console.log(pet.lives);
  else console.log(pet.tricks.length);
}

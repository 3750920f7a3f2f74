/**
 * A disk whose power can be cut. Flushed writes stay. Later writes may be there, or not, or in part: each sector by
 * itself, in any order. The name of a file stays once its directory was flushed.
 */
import type { Chance } from "../support/chance.ts";
import type { Event } from "./recording.ts";

/** A change of a file that is not flushed yet. */
type Change = Extract<Event, { event: "write" | "truncate" }>;
type Write = Extract<Change, { event: "write" }>;

interface File {
  readonly flushed: Content;
  readonly changes: Change[];
}

/** The files left on a disk, by path. */
export type Remains = ReadonlyMap<string, Buffer>;

export interface Disk {
  /** Applies one event. */
  apply(event: Event): void;
  /** Cuts the power, now. The disk itself goes on. */
  cut(chance: Chance): Remains;
}

/** How much of the unflushed writes a cut leaves. A disk writes whole sectors; Linux hands it pages. */
const CUTS: readonly { readonly keeps: number; readonly sector: number }[] = [
  { keeps: 0, sector: 512 },
  { keeps: 50, sector: Number.MAX_SAFE_INTEGER },
  { keeps: 50, sector: 4_096 },
  { keeps: 50, sector: 512 },
  { keeps: 95, sector: 512 },
];

/** A disk that holds these files. A dishonest one reports a flush that it has not done. */
export function diskWith(files: Remains, { isHonest = true } = {}): Disk {
  const current = new Map(Array.from(files, ([path, bytes]): [string, File] => [path, fileOf(bytes)]));
  let named = new Map(current);

  function apply(event: Event): void {
    if (event.event === "answer") return;
    const { path } = event;
    const file = current.get(path);
    if (event.event === "create") current.set(path, file ?? fileOf(Buffer.alloc(0)));
    else if (event.event === "remove") current.delete(path);
    else if (event.event === "flush") {
      if (!isHonest) return;
      if (file) flush(file);
      else named = new Map(current); // the directory
    } else if (file) file.changes.push(event);
    else throw new Error(`${path} is changed, and is not there.`);
  }

  function cut(chance: Chance): Remains {
    const { keeps, sector } = chance.oneOf(CUTS);
    const survives = () => chance.below(100) < keeps;
    const remains = new Map<string, Buffer>();
    for (const path of new Set([...named.keys(), ...current.keys()])) {
      const [before, now] = [named.get(path), current.get(path)];
      const file = before === now || survives() ? now : before;
      if (file) remains.set(path, remainsOf(file, survives, sector));
    }
    return remains;
  }

  return { apply, cut };
}

function fileOf(bytes: Buffer): File {
  return { flushed: contentOf(bytes), changes: [] };
}

function flush({ flushed, changes }: File): void {
  for (const change of changes.splice(0)) alter(flushed, change);
}

function remainsOf({ flushed, changes }: File, survives: () => boolean, sector: number): Buffer {
  const remains = contentOf(bytesIn(flushed));
  for (const change of changes) {
    for (const part of change.event === "truncate" ? [change] : sectorsOf(change, sector)) {
      if (survives()) alter(remains, part);
    }
  }
  return bytesIn(remains);
}

/** A write as the disk does it, sector by sector. */
function sectorsOf({ offset, bytes, ...write }: Write, sector: number): Write[] {
  const parts: Write[] = [];
  for (let done = 0; done < bytes.length; ) {
    const start = offset + done;
    const length = Math.min(sector - (start % sector), bytes.length - done);
    parts.push({ ...write, offset: start, bytes: bytes.subarray(done, done + length) });
    done += length;
  }
  return parts;
}

/** Bytes that can grow. */
interface Content {
  room: Buffer;
  size: number;
}

function contentOf(bytes: Buffer): Content {
  return { room: Buffer.from(bytes), size: bytes.length };
}

function bytesIn({ room, size }: Content): Buffer {
  return room.subarray(0, size);
}

function alter(content: Content, change: Change): void {
  const end = change.event === "truncate" ? change.size : change.offset + change.bytes.length;
  if (end > content.room.length) content.room = Buffer.concat([bytesIn(content), Buffer.alloc(2 * end)]);
  if (change.event === "truncate")
    content.room.fill(0, end); // new room is empty
  else change.bytes.copy(content.room, change.offset);
  content.size = change.event === "truncate" ? end : Math.max(content.size, end);
}

/** Before the tests of a file: what a sampled run leaves out is skipped. */
import { beforeEach, type RunnerTask } from "vitest";
import { IS_SAMPLED, oneOfEachSentence } from "./sampled.ts";

const fullName = (task: RunnerTask): string => (task.suite ? `${fullName(task.suite)} > ${task.name}` : task.name);

const namesIn = (task: RunnerTask): string[] => ("tasks" in task ? task.tasks.flatMap(namesIn) : [fullName(task)]);

let chosen: ReadonlySet<string> | undefined;

if (IS_SAMPLED) {
  beforeEach(({ task, skip }) => {
    chosen ??= oneOfEachSentence(namesIn(task.file));
    skip(!chosen.has(fullName(task)), "not in this sample");
  });
}

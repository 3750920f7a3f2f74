/** Copies a database as it is at this moment, even while others write to it. */
import { driver } from "./driver.ts";

/** Copies the database at this path to a new file. */
export async function copyDatabase(source: string, draft: string): Promise<void> {
  const connection = driver().connect(source);
  try {
    // Inside a read transaction; otherwise each commit of the server would restart the copy.
    connection.exec("begin");
    connection.prepare("select count(*) from sqlite_schema").all([]);
    await connection.backup(draft);
    connection.exec("commit");
  } finally {
    connection.close();
  }
}

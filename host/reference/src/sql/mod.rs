//! SQL over the store: GreptimeDB's statements by hand, queries by `DataFusion`.

mod create;
mod engine;
mod insert;
mod show;
mod statement;
pub(crate) mod token;

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use statement::{Statement, TableName, statements};

use crate::store::{ErrorKind, Store, StoreError};

/// What a statement did.
#[derive(Debug, Clone)]
pub(crate) enum Outcome {
    /// It changed so many rows, tables or databases.
    Affected(u64),
    /// It found these rows.
    Records(Vec<RecordBatch>, SchemaRef),
}

impl Store {
    /// Runs statements, which semicolons part, one after the other. What the ones before a failed one did stays done.
    ///
    /// # Errors
    ///
    /// The first refusal, in GreptimeDB's words.
    pub(crate) async fn sql(self: &Arc<Self>, database: &str, sql: &str) -> Result<Vec<Outcome>, StoreError> {
        if !self.has_database(database) && !show::SCHEMAS.contains(&database) {
            return Err(StoreError::no_database(database));
        }
        let mut outcomes = Vec::new();
        for statement in statements(sql)? {
            outcomes.push(self.run(database, statement).await?);
        }
        Ok(outcomes)
    }

    async fn run(self: &Arc<Self>, database: &str, statement: Statement) -> Result<Outcome, StoreError> {
        let of = |name: &TableName| (name.database.clone().unwrap_or_else(|| database.to_owned()), name.table.clone());
        match statement {
            Statement::CreateDatabase { name, if_not_exists } => {
                forgive(self.create_database(&name), if_not_exists, ErrorKind::DatabaseExists)?;
                Ok(Outcome::Affected(1))
            }
            Statement::DropDatabase { name, if_exists } => {
                forgive(self.drop_database(&name), if_exists, ErrorKind::DatabaseNotFound)?;
                Ok(Outcome::Affected(0))
            }
            Statement::CreateTable { name, if_not_exists, columns, options } => {
                let (database, table) = of(&name);
                let made = self.create_table(&database, &table, columns, options);
                forgive(made, if_not_exists, ErrorKind::TableExists)?;
                Ok(Outcome::Affected(0))
            }
            Statement::DropTables { names, if_exists } => {
                for name in &names {
                    let (database, table) = of(name);
                    forgive(self.drop_table(&database, &table), if_exists, ErrorKind::TableNotFound)?;
                }
                Ok(Outcome::Affected(0))
            }
            Statement::Truncate(name) => {
                let (database, table) = of(&name);
                self.truncate(&database, &table)?;
                Ok(Outcome::Affected(0))
            }
            Statement::Insert { table, columns, source } => {
                let (into, table) = of(&table);
                insert::insert(self, database, (&into, &table), &columns, &source).await.map(Outcome::Affected)
            }
            Statement::Describe(name) => {
                let (database, table) = of(&name);
                show::describe(&*self.schema(&database, &table)?)
            }
            Statement::ShowCreate(name) => {
                let (database, table) = of(&name);
                show::create_table(&table, &*self.schema(&database, &table)?)
            }
            Statement::ShowTables { database: named } => {
                show::names("Tables", self.table_names(named.as_deref().unwrap_or(database))?)
            }
            Statement::ShowDatabases => {
                let schemas = show::SCHEMAS.iter().map(|name| (*name).to_owned());
                show::names("Databases", self.databases().into_iter().chain(schemas).collect())
            }
            Statement::Admin(call) => show::admin(&call),
            Statement::Query(query) => {
                let (batches, schema) = engine::query(self, database, &query).await?;
                Ok(Outcome::Records(batches, schema))
            }
        }
    }
}

/// Takes one sort of refusal for success, where the statement says so.
fn forgive(result: Result<(), StoreError>, forgives: bool, kind: ErrorKind) -> Result<(), StoreError> {
    match result {
        Err(error) if forgives && error.kind == kind => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests;
